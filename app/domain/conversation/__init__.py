"""Conversations, pairs, messages and their parts, with what a person says of them.

Not what is sent of them (`context`) and not how a reply comes about (`run`).
"""
