"""The memory of the process: a cache with a maximum total weight, and the settings of the garbage collector.

Not here: the prompt caches of providers (`runs/cache`).
"""
