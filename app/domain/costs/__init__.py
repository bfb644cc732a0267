"""The cost of calls: prices over time, totals, budgets of money, reconciliation.

Not here: token estimates (`tokens`) and the budget of a request in tokens (`context`).
"""
