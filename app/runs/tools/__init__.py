"""Tools and their servers: calls of a reply, permissions, sign-in, and what is shown of them.

Not the connections to servers (`app/tools`) and not the rules (`domain/tools`). Which tools a send offers is decided in
`runs/send`.
"""
