"""Filters saved under a name: what `@name` stands for, and the rules of names and of who uses whom.

Not how they are stored (`store/organise/filters.py`).
"""
