"""The pure core: what a conversation is, what a send contains, how a run proceeds.

Standard library only; no I/O, no clock, no framework. A decision takes values and returns values.

There is a package for each noun; what all of them need is beside them. Start reading at
`conversation/conversation.py` (the nouns), then `context/context.py` (what is sent), then `run/transitions.py` (how
a reply comes about).
"""
