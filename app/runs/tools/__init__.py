"""Tools and their servers: tool calls of a reply, permissions, and the views of them.

Not here: sign-ins (`runs/sign_in`), the connections to servers (`app/tools`), the rules (`domain/tools`), and the
choice of the tools that a send offers (`runs/send`).
"""
