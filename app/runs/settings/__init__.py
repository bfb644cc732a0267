"""Commands for the settings of a user: preferences, and providers with their models.

Not here: MCP servers and permissions (`runs/tools`), prices and budgets (`runs/usage`).
"""
