"""What a process has once for all conversations: ids and the clock, the event bus, the models on offer, memory.

Not the value that holds it (`runs/workbench.py`), and nothing that knows a command.
"""
