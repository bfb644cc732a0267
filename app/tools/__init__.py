"""The tools that models can call: built-in ones (`built_in`), and those of MCP servers (`mcp`).

Functions that need the store are passed in. Nothing here depends on conversations.
"""
