"""The engine, its driver and migrations, encryption, the base class of rows, and the conversion of rows to values.

Queries and tables are in the packages of their nouns.
"""
