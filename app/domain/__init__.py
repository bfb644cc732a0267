"""The pure core: the conversation, the content of a send, the steps of a run.

It uses only the standard library: no I/O, no clock, no framework. Its functions take values and return values.

Each noun has a package. The modules outside of these packages are needed by all of them. Start reading at
`conversation/conversation.py` (the nouns), then `context/context.py` (the content of a send), then `run/run.py` (the
progress of a reply).
"""
