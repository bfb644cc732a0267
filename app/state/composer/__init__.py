"""The composer: what is written, what a send of it would carry, and what waits beside it.

`state.py` holds what the screen shows and sends the draft; `views.py` are its values. Each dialog and banner has a
module of its own. Not here: the transcript, and how the conversation is filtered.
"""
