"""Lists the damage of a database, row by row, for `inview doctor`. Nothing here changes a database.

Not here: what counts as damage of one value (`store/database/damage.py`).
"""
