"""How the page reaches a browser: who may ask (`gate`), the built files (`files`), and what is done to them (`bundle`).

Not the API and not Reflex: both are mounted beside this by `app.app`.
"""
