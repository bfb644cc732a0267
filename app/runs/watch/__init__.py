"""Watching a conversation: what one open page shows of it, as values that follow every change.

`Watcher` is the entry. Not here: Reflex (`app/state/transcript.py` copies a watcher's screens into vars), the event
stream for programs (`app/api/http/event_stream.py`), and how a run is paced (`app/runs/watch/broadcast.py`).
"""
