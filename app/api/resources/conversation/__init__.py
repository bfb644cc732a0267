"""Routes of conversations: pairs, branches, marks, history, attachments.

Routes that start a reply are in `send`.
"""
