"""The database: what is stored, how it becomes domain values, and one file of queries per noun.

There is a package for each noun, with its rows (`rows*.py`) beside its queries. Start reading at
`conversation/rows.py` (the tables), then `database/database.py` (how they are reached) and `conversation/pairs.py` (the
busiest queries). Nothing here decides anything, calls a provider or knows who is watching.
"""
