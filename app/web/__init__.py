"""How the page reaches a browser: who may ask (`gate`), the built files (`files`), what is done to them (`bundle`).

What is there before everything else is, and who waits for it: `door`. Not the API and not Reflex: `app.app` puts them
together, and the server puts them behind the door.
"""
