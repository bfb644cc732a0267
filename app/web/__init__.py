"""Serves the page: checks of requests (`gate`), the built files (`files`), changes to them after the build (`bundle`).

`readiness_gate` serves the page while the application is imported, and lets other requests wait. Not here: the API and
Reflex. `app.app` combines them, and the server puts them behind the readiness gate.
"""
