"""Sections about tools: built-in ones, MCP servers, and which calls are allowed. Not the cards of calls (`reply`)."""
