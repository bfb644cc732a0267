"""Preferences, provider settings and agents: tables and queries.

Elsewhere: MCP servers and permissions (`tools`), prices and budgets (`ledger`).
"""
