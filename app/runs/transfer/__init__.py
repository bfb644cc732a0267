"""Export and import: conversations to files, and files back to conversations.

Not the pages and texts of an export (`app/views`) and not copies within the database (`runs/resend`).
"""
