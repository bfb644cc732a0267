"""A person signs in to an MCP server, and Inview keeps what the sign-in gave."""
