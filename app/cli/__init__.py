"""The `inview` command: serve, build, migrate, verify, doctor.

Not the server itself: that is `app.app`, which `serve` loads by name once everything it needs has been checked.
"""
