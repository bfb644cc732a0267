"""What models can call: tools that are built in, and those of MCP servers.

Effects that need the store are handed in; nothing here knows a conversation.
"""
