"""One connection to an MCP server, and what comes over it."""
