"""Comparing models: the dialog that chooses models, and the replies side by side.

`composer` has the button to see them.
"""
