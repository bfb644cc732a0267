"""Topics, marks and saved filters: tables and queries.

The trash is in `trash`; the tables of conversations and pairs are in `conversation`.
"""
