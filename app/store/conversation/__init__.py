"""Conversations, pairs, versions, attachments and branches: tables and queries.

Elsewhere: topics, marks and filters (`organise`), the trash (`trash`), runs (`run`), searches (`index`).
"""
