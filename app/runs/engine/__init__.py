"""What drives a run from its start to its end and stores what it receives.

Not what a run is (`domain/run`), how a send becomes a request (`runs/request`), or what tools do (`runs/tools`).
"""
