"""The HTTP API. A program can do with it everything that the page can do with conversations.

Start reading at `app.py` (the list of routers), then a resource (`resources/conversation/conversations.py`), then
`http/event_stream.py` (how a reply reaches a program). Every route calls the same commands and queries as the page. The
routes make no decisions, and use neither rows nor providers directly.
"""
