"""One connection to an MCP server, and the messages and results that it receives."""
