"""Comparisons: several models answer one request side by side: a new request, or that of an existing pair.

Not here: the page that shows them (`app/state/compare`).
"""
