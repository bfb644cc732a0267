"""Attachments and uploads: tables and queries.

Elsewhere: deletion of attachments that are no longer used (`trash`).
"""
