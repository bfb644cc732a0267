"""Routes of preferences and of the available models.

Routes of tools, servers and permissions are in `tools`, routes of budgets and prices in `usage`.
"""
