"""The ledger with its sums and the content of its calls, and the user's prices and budgets: tables and queries.

Costs are computed on reading (`app/runs/usage`).
"""
