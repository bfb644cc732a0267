"""MCP servers, tool calls and permissions: tables and queries. Also: which panels a page has.

The tools in the request of a run are in `run`.
"""
