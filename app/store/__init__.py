"""The database: what is stored, how it becomes domain values, and one file of queries per noun.

Start reading at `rows.py` (the tables), then `database.py` (how they are reached) and `pairs.py` (the busiest queries).
Nothing here decides anything, calls a provider or knows who is watching.
"""
