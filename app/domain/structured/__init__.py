"""Structured replies: the JSON schemas that replies must match, and reading JSON that is still arriving.

Not here: checking a value against a schema (`app/schema_check`).
"""
