"""What the built-in offline model replies: by a script that requests command, as a JSON sample, as a title or summary.

Not here: how its replies are streamed (`protocols/offline.py`).
"""
