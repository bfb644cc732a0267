"""Views of tools for programs: MCP servers, tool calls, permissions, and the tools of a conversation.

Not here: the cards of tool calls on the page (`reply`).
"""
