"""Lists the damage of a database, row by row, for `inview doctor`. Nothing here changes a database.

Damage of a single value is defined in `store/database/damage.py`.
"""
