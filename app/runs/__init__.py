"""Runs: replies as they come about, owned by the process and by no client that watches them.

Each package opens with a sentence on what belongs there and what does not. Start reading at `workbench.py` (what there
is once per process; `wiring.py` opens it), then `send/commands.py` (how a send starts) and `engine/engine.py` (how a
run proceeds). What a run *is*: `app/domain/run/transitions.py`.
"""
