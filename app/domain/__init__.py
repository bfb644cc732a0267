"""The pure core: the conversation, the content of a send, the steps of a run.

The core uses only the standard library: no I/O, no clock, no framework. The functions take values and return values.

Each noun has a package. The modules outside of the packages, such as `errors.py`, are used by all packages. Start
reading at `conversation/conversation.py` (the nouns), then `context/context.py` (the content of a send), then
`run/run.py` (the progress of a reply).
"""
