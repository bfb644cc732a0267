"""Checks JSON schemas that come from outside: if a schema is usable, and if a value matches it.

A check of a schema can take unlimited time, so it runs in a process that can be killed.
"""
