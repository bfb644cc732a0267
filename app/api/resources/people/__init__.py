"""Signing in and out, and one-time links: plain pages with forms, beside the described routes.

Not who may pass: that is `api/http/sign_in_gate.py`.
"""
