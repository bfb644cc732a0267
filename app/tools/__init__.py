"""The tools that models can call: built-in ones, and those of MCP servers.

Effects that need the store are handed in; nothing here knows a conversation.
"""
