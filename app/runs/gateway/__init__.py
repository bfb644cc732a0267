"""Calls of the gateway: a program asks a model or an agent for a reply, with a history of its own.

Not the vendors' shapes that programs speak (`api/gateway`), and not sends into a person's conversation (`runs/send`).
"""
