"""Views of attachments on the page, and of uploads for programs."""
