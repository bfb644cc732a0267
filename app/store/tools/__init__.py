"""MCP servers, calls of tools, permissions and the audit trail: tables and queries.

Not which tools went with a run (`run`).
"""
