"""Routes of conversations: pairs, branches, marks, history, attachments.

Not what starts a reply (`send`).
"""
