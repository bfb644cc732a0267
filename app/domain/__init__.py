"""The pure core: the conversation, the content of a send, the steps of a run.

The core uses only the standard library: no I/O, no clock, no framework. The functions take values and return values.

Each package is about one noun, such as `conversation`. The modules outside of the packages, such as `errors.py`, are
used by all of them. Start reading at `conversation/conversation.py` (the nouns), then `context/context.py` (the content
of a send), then `run/run.py` (the progress of a reply).
"""
