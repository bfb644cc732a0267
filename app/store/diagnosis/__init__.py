"""Finds and repairs the damage of a database for `inview doctor`. Only `mending.py` changes the database.

Damage of a single value is defined in `store/database/damage.py`.
"""
