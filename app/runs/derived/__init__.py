"""Calls made for a conversation in a child conversation: titles, summaries, delegated tasks.

Not what they say (`domain/derived`), and not the replies that a person asked for (`runs/send`).
"""
