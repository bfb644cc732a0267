"""Conversations, pairs, messages and their parts, with the marks of a person.

Not here: the selection for a send (`context`) and the run that gets a reply (`run`).
"""
