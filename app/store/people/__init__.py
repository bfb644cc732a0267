"""Persons, their sessions and one-time links.

Not what they own: each of those rows names its owner itself.
"""
