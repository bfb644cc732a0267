"""Routes of costs: usage, budgets, prices, prompt caches.

Exact counts before a send are in `send`.
"""
