"""Structured replies: JSON schemas for replies, and JSON that is still arriving.

Not here: checking a value against a schema (`app/schema_check`).
"""
