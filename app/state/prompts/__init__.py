"""Prompts: the list on their page, the form of one, and a new conversation that a link fills in."""
