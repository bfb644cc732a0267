"""Comparisons: several models answer one request side by side, either a new request or the request of an existing pair.

Not here: the page that shows them (`app/state/compare`).
"""
