"""Parts that depend on the time."""
