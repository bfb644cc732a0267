"""Routes of files: export and import.

Routes of attachments are in `attachments`.
"""
