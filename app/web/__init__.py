"""Serves the page: checks requests (`host_check`), serves the built files (`files`), adapts the build (`bundle`).

While the application is imported, `readiness_gate` serves the page and lets other requests wait.

Not here: the API and Reflex. `app.app` combines the two, and the server puts the result behind the readiness gate.
"""
