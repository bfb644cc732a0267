"""MCP servers, calls of tools and permissions: tables and queries.

Not which tools went with a run (`run`).
"""
