"""Conversations, pairs, versions, attachments and branches: tables and queries.

Elsewhere: topics, marks, filters and trash (`organise`), runs (`run`), searches (`index`).
"""
