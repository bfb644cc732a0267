"""The meaning of a filter: its names are looked up, and the resulting condition decides which pairs it selects."""
