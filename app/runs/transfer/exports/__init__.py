"""What leaves: conversations as files, everything about a person, and shared pages.

`own_json.py` says what Inview's own format is. Not here: reading that format again (`runs/transfer/imports`).
"""
