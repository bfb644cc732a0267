"""How a person keeps order: topics, marks, saved filters, trash.

Not the tables of conversations (`conversation`).
"""
