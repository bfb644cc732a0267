"""Calls made for a conversation: the requests to a model for a title or a summary.

Not here: the child conversations that hold these calls (`app/runs/child_calls`).
"""
