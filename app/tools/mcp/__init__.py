"""MCP servers: the session of each server, its connection, its log, and the messages and results that it sends."""
