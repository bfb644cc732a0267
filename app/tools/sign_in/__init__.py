"""Sign-in of the user to an MCP server, and use of the resulting tokens."""
