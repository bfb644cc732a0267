"""The Settings page, with one state per section. Other regions of the screen also use `preferences.py`.

Handlers receive secrets (provider keys, header values, client secrets), but no var ever holds a secret.
"""
