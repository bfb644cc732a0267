"""The filter of the conversation on screen: the applied filter, the filter bar, and the saved filters.

Other packages need only `applied.py`: `FilterState` holds the applied filter and the other view options.
"""
