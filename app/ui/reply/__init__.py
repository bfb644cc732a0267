"""The components of one pair: its request, its reply, its outcome, and the line below. `transcript` lists the pairs."""
