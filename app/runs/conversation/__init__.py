"""Commands for a conversation that start no reply: marks, forks, lineage, accounting nodes.

Also here: the data that the page of a conversation shows around the pairs.

Not here: a new conversation and its settings (`runs/send/commands.py`), and the trash (`runs/trash`).
"""
