"""The components of one pair: its request, its reply, its outcome, and its line of buttons.

`transcript` lists the pairs.
"""
