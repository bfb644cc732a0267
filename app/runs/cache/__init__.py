"""Vendors' prompt caches of a conversation: their state, keep-alive calls, and what is shown of them.

Not the cache plan of a request (`runs/request/caches.py`) and not the rules (`domain/cache`).
"""
