"""MCP servers, tool calls, permissions, and the panels of a page: tables and queries.

The tools in the request of a run are in `run`.
"""
