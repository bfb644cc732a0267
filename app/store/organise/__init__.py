"""Topics, marks, saved filters and the trash: tables and queries.

The tables of conversations and pairs are in `conversation`.
"""
