"""The composer: the draft, the content of a send of it, the queue and the pending permission requests.

`state.py` holds the vars of the screen and sends the draft; `views.py` are its values. Each dialog and banner has its
own module. The transcript and the filter of the conversation are elsewhere.
"""
