"""The Settings page: one state for each section. Other regions of the screen also use `preferences.py`.

Handlers receive secrets (provider keys, header values, client secrets), but no var ever holds a secret.
"""
