"""Uploads: files that a person attaches to a draft.

Not here: the attachments of a request (`runs/request/attachments.py`).
"""
