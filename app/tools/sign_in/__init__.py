"""Sign-in of the user to an MCP server by OAuth, and use of the resulting access tokens."""
