"""Runs: replies as they come about, owned by the process and by nobody who watches.

Start reading at `workbench.py` (what there is once per process; `wiring.py` opens it), then `commands.py` (what can be
asked of it) and `engine.py` (how a run proceeds). What a run *is* stands in `app/domain/run.py`.
"""
