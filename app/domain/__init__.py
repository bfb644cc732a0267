"""The pure core: the conversation, the content of a send, the steps of a run.

Standard library only; no I/O, no clock, no framework. A decision takes values and returns values.

Each noun has a package; the modules here are those that all packages need. Start reading at
`conversation/conversation.py` (the nouns), then `context/context.py` (what is sent), then `run/run.py` (how a reply is
received).
"""
