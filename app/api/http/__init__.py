"""What all routes share: bodies, answers, problems, cursors, event stream, the API's description.

Not a resource, but for `health.py`, which supervisors ask.
"""
