"""Comparisons of models: the choice of models for a new request or for a pair, and the choice of the reply to keep.

`answer_again.py` is the menu of models of a pair, `choice.py` the dialog for several models, `keeping.py` the end of a
comparison. The replies of a comparison are in `app/state/comparison.py`, because other regions use them too.
"""
