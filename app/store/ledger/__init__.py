"""The ledger with its sums, and prices and budgets of one's own: tables and queries.

Not costs, which are computed on reading (`app/runs/usage`).
"""
