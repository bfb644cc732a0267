"""Tools, their servers, calls, results and permissions, and the selection of tools for a send.

Not here: connections to servers (`app/tools`) and the tools of an agent (`agents`).
"""
