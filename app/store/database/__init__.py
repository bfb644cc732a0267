"""The engine, its driver and migrations, encryption, the base of rows, and rows to values.

Not queries and not tables: those are with their noun.
"""
