"""What calls cost and may cost: prices, accounts, budgets, limits, reports, reconciliation.

Not the rules (`domain/costs`) and not the ledger (`store/ledger`).
"""
