"""Commands for agents.

Not here: tasks that one agent delegates to another (`runs/child_calls`), and the tools of a send (`runs/send`).
"""
