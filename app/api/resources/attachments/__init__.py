"""Routes of attachments.

Routes of messages are in `send`.
"""
