"""What was planned for vendors' prompt caches, and keep-alive: tables and queries.

Not caches in memory (`app/runs/process`).
"""
