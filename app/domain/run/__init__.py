"""A run as a value plus events: its rounds, log and size, the queue of texts behind it, and recovery.

Not here: the engine that performs its actions (`app/runs/engine`) and the lifecycle of a pair (`conversation`).
"""
