"""Calls made for a conversation: how a model is asked for a title or a summary.

Not the conversations they are made in (`app/runs/derived`).
"""
