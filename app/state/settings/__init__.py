"""The Settings page, with one state per section. Other regions also use `preferences`.

Handlers receive secrets (provider keys, header values, client secrets), but no var ever holds one.
"""
