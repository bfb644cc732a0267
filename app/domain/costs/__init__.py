"""What calls cost: prices over time, totals, budgets of money, reconciliation.

Not token estimates (`tokens`) and not the budget of a request in tokens (`context`).
"""
