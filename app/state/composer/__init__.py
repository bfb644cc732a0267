"""The composer, where a message is written: the draft, what a send of it contains, the queue, the permission requests.

`state.py` has the vars of the region and sends the draft; `views.py` has the values of the vars. Each dialog and banner
has its own module. The transcript and the filter of the conversation are elsewhere.
"""
