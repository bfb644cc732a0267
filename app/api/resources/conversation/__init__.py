"""Routes of conversations: pairs, branches, marks, history.

Routes that start a reply are in `send`, routes of attachments in `attachments`.
"""
