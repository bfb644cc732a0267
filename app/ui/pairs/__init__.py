"""The page of all pairs: its filter, the list and what becomes of a selection."""
