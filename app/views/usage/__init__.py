"""Tokens and money as shown."""
