"""The audit trail: who opened, read, exported, changed or deleted a conversation, and every decision about a tool call.

Not here: the decisions themselves (`runs/tools/permissions.py`).
"""
