"""Commands to sign in to an MCP server and to sign out.

Not here: the protocol, and the use of access tokens (`app/tools/sign_in`).
"""
