"""Code that all routes share: bodies, answers, problems, cursors, event stream, OpenAPI description.

The only resource here is `health.py`, for supervisors.
"""
