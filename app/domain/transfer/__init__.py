"""Conversations of other applications: what their exports say, as one neutral tree of messages, and its pairs.

One module per format (`chatgpt.py`, `claude.py`, `open_webui.py`, `maichat.py`), all of them in `formats.py`.

Not how a file is checked, and not how what it says is stored (`runs/transfer`).
"""
