"""Watching a conversation: the content of one open page, as values that follow every change.

The main class is `Watcher`.

Not here: Reflex (`app/state/transcript` copies a watcher's screens into vars), the event stream for programs
(`app/api/http/event_stream.py`), and the update rate of a run (`broadcast.py`).
"""
