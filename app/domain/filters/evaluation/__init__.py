"""The meaning of a filter: the names it uses are looked up, and a condition decides for each pair."""
