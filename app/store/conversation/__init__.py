"""Conversations, pairs, versions, attachments and branches: tables and queries.

Not what a person files them by (`organise`), not runs (`run`), not searches (`index`).
"""
