"""Structured replies: JSON schemas that are asked for, and JSON that is still arriving.

Not checking a value against a schema (`app/json_schemas`).
"""
