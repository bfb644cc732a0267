"""How the page reaches a browser: who may ask (`gate`), the built files (`files`), what is done to them (`bundle`).

`readiness_gate` serves the page while the application is still imported.

Not the API and not Reflex: `app.app` puts them together, and the server puts them behind the readiness gate.
"""
