"""Conversations, pairs, versions, marks and branches: tables and queries.

Elsewhere: attachments (`attachments`), topics (`topics`), filters (`filters`), the trash (`trash`), runs (`run`),
searches (`index`).
"""
