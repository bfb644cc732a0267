"""The `inview` command: serve, build, migrate, verify, doctor.

The server itself is `app.app`. `serve` loads it by name after all checks.
"""
