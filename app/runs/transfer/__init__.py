"""Export and import: conversations to files, and files back to conversations.

Not here: the pages and texts of an export (`app/views`), and copies within the database (`runs/conversation/forks.py`).
"""
