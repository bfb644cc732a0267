"""The Settings page, one state per section. `preferences` also serves the other regions.

Secrets (provider keys, header values, client secrets) enter handlers and never a var.
"""
