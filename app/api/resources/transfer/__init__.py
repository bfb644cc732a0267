"""Routes of files: export and import.

Not attachments (`conversation`).
"""
