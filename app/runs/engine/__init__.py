"""The driver of a run from start to end, and the writer that stores the received data.

Not here: the rules of a run (`domain/run`), building a request (`runs/request`), and tools (`runs/tools`).
"""
