"""Tools and their servers: tool calls of a reply, permissions, sign-in, and the views of them.

Not here: the connections to servers (`app/tools`), the rules (`domain/tools`), and the choice of the tools that a send
offers (`runs/send`).
"""
