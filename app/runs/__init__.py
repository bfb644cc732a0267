"""Runs: replies in progress, owned by the process and not by the clients that watch them.

The first sentence of each package states its scope. Start reading at `app_context.py` (everything that exists
once per process; `wiring.py` opens it), then `send/commands.py` (the start of a send) and `engine/engine.py` (the
progress of a run). The rules of a run are in `app/domain/run/run.py`.
"""
