"""Plans for providers' prompt caches, and cache keep-alive: tables and queries.

Caches in memory are in `app/runs/memory`.
"""
