"""The cost of provider calls: prices, accounts, budgets, limits, reports, reconciliation.

Not here: the rules (`domain/costs`) and the ledger (`store/ledger`).
"""
