"""SQLAlchemy's engine, its driver and migrations, encryption, the base class of rows, and the conversion of rows.

Queries and tables are in the packages of their nouns.
"""
