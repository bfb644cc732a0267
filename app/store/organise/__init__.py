"""How a person keeps order: topics, marks, saved filters, prompts, shares, trash.

Not the tables of conversations (`conversation`).
"""
