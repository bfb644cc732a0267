"""A conversation as a file to read: a page in HTML, or Markdown.

Not here: export files in JSON, and writing the files (`runs/transfer`).
"""
