"""A run: its state and events, its rounds, log and size, the queue of texts that wait for it, and recovery.

Not here: the engine that performs its actions (`app/runs/engine`) and the lifecycle of a pair (`conversation`).
"""
