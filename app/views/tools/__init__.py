"""Views of tools for programs: MCP servers, tool calls, permissions, and the tools of a conversation."""
