"""The database: its tables, the conversion of rows to domain values, and one file of queries per noun.

Each noun has a package with its tables (`rows*.py`) and its queries. Start reading at `conversation/rows.py` (the
tables), then `database/database.py` (sessions) and `conversation/pairs.py` (the queries that run most often). The code
here makes no decisions, calls no provider and publishes nothing to subscribers.
"""
