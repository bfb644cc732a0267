"""The components of one pair: its request, its reply, its outcome, and the line below. `transcript` has the list."""
