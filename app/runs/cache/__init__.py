"""Prompt caches of providers for a conversation: their state, keep-alive calls, and views.

Not here: the cache plan of a request (`runs/request/caches.py`) and the rules (`domain/cache`).
"""
