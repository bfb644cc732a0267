"""Routes of conversations: pairs, branches, marks, history.

Routes that start a reply are in `send`, those of attachments in `attachments`.
"""
