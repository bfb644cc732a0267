"""The components of one pair: request, reply, its outcome, its line of figures and marks. `transcript` has the list."""
