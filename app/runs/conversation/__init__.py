"""Commands for a conversation that start no reply: create, change, delete, folders, marks, forks, lineage, accounting.

Also here: the data that the page of a conversation shows around the pairs.

Not here: a conversation that is created with its first request (`runs/send/first_message.py`), and the trash
(`runs/trash`).
"""
