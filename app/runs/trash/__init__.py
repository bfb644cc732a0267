"""The trash: list, restore and delete entries, and the hourly deletion of old ones.

Not here: moving pairs and conversations to the trash (`runs/conversation/mark_commands.py`, `runs/send/commands.py`).
"""
