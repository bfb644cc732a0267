"""Comparisons: several models answer one request side by side, a new one or that of a pair.

Not here: the page that shows them (`app/state/compare`).
"""
