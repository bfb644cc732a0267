"""A run as a value plus events: rounds, log, size, queue behind it, recovery.

Not here: the engine that performs its actions (`app/runs/engine`) and the lifecycle of a pair (`conversation`).
"""
