"""Shares: read-only copies of what is in view, which a link opens.

Not exports (`export.py`), which a person keeps as a file.
"""
