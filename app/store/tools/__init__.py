"""MCP servers, tool calls, permissions and the audit trail: tables and queries. Also: which panels a page has.

The tools in the request of a run are in `run`.
"""
