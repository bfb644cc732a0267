"""Routes of tools: MCP servers, sign-in, permissions, calls.

Routes of agents are in `agents`.
"""
