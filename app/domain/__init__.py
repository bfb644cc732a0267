"""The pure core: what a conversation is, what a send contains, how a run proceeds.

Standard library only; no I/O, no clock, no framework. A decision takes values and returns values.

Start reading at `conversation.py` (the nouns), then `context.py` (what is sent), then `run.py` (how a reply comes
about).
"""
