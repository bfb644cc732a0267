"""Comparing models: which of them answer, side by side or again for a pair, and the reply that is kept.

`answer_again.py` is the menu of models of a pair, `choice.py` the dialog of several, `keeping.py` how a comparison
ends. Not here: the replies as they come (`app/state/comparison.py`), which other regions look at too.
"""
