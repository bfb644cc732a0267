"""What a person set up: preferences, providers, agents.

Not MCP servers and permissions (`tools`) and not prices and budgets (`ledger`).
"""
