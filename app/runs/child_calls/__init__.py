"""Calls made for a conversation in a child conversation: titles, summaries, delegated tasks.

Not here: their texts (`domain/child_calls`), and the replies that a person asked for (`runs/send`).
"""
