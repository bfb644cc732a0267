"""The tools that models can call: built-in ones, and those of MCP servers.

Functions that need the store are passed in. Nothing here depends on conversations.
"""
