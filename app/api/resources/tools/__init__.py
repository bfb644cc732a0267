"""Routes of tools: MCP servers, sign-in, permissions, calls.

Not agents (`library`).
"""
