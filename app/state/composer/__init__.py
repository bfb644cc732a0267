"""The composer, where a message is written: the draft, the content of its send, the queue, and permission requests.

`message_box.py` has the draft and the size of its send, `state.py` sends it; `views.py` has the types of the vars. Each
dialog and banner has its own module. The transcript and the filter of the conversation are elsewhere.
"""
