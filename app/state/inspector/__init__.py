"""The column on the right of a conversation, and the dialogs that show requests and versions.

`frame.py` is the entry: which section is open, and what keeps it current.
"""
