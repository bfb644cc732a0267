"""Commands for a conversation that start no reply: marks, forks, lineage, accounting nodes.

Not here: a new conversation and its settings (`runs/send/commands.py`), and the trash (`runs/trash`).
"""
