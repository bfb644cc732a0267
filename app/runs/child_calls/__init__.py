"""Calls made for a conversation in a child conversation: titles, summaries, delegated tasks.

Not here: the instructions that these calls send (`domain/child_calls`), and ordinary replies (`runs/send`).
"""
