"""The trash: list, restore and delete entries, and the hourly deletion of old ones.

Not here: moving pairs and conversations to the trash (`mark_commands.py` and `conversation_commands.py` in
`runs/conversation`).
"""
