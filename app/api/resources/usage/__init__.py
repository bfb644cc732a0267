"""Routes of costs: usage, budgets, prices, prompt caches.

Not exact counts before a send (`send`).
"""
