"""Temporary conversations, which are in memory only.

Not here: their database (`store/temporary`).
"""
