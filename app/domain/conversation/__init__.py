"""Conversations, pairs, messages and their parts, with the marks that a person sets.

Not here: attachments (`attachments`), the selection of pairs for a send (`context`) and the run that gets a reply
(`run`).
"""
