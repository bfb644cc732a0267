"""Things that exist once per process: ids, the clock, the event bus, the available models, memory management.

Not here: the value that holds them (`runs/app_context.py`), and code that uses commands.
"""
