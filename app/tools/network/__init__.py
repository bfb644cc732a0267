"""Network access of tools and MCP servers: checked addresses, limits, and the HTTP client that uses both."""
