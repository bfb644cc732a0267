"""Preferences and provider settings: tables and queries.

Elsewhere: agents (`agents`), MCP servers and permissions (`tools`), prices and budgets (`ledger`).
"""
