"""The pure core: what a conversation is, what a send contains, how a run proceeds. Standard library only, no I/O, no clock.

Start reading at `conversation.py` (the nouns), then `context.py` (what is sent) and `run.py` (how a reply comes about).
"""
