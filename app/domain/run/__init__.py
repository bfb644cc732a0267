"""A run as a value plus events: rounds, log, size, queue behind it, recovery.

Not what performs its actions (`app/runs/engine`) and not the lifecycle of a pair (`conversation`).
"""
