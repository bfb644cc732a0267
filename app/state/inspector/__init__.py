"""The column on the right of a conversation, and the dialogs that show requests and versions.

`frame.py` is the entry: it has the open section and keeps it current.
"""
