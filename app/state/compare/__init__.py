"""Comparing models: which of them answer side by side, their replies as they come, and the one that is kept.

`choice.py` is the dialog of models, `replies.py` what they answer, `keeping.py` how it ends.
"""
