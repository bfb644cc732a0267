"""Things that exist once per process: ids, the clock, the event bus, the available models.

Not here: caches in memory (`runs/memory`), the value that holds them (`runs/app_context.py`), and code that
uses commands.
"""
