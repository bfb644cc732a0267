"""The inspector, which is the column on the right of a conversation, and the dialogs that show requests and versions.

Start at `frame.py`: it has the open section and keeps it current.
"""
