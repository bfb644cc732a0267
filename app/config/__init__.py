"""The configuration of an installation: environment variables, read once when a process starts.

Not here: preferences, which a person sets on the page (`domain/settings`).
"""
