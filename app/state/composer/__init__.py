"""The composer, where a message is written: the draft, the content of its send, the queue, the permission requests.

`state.py` has the vars of the region and sends the draft; `views.py` has the types of their values. Each dialog and
banner has its own module. The transcript and the filter of the conversation are elsewhere.
"""
