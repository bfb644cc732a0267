"""The way of bytes: requests, answers within bounds, streams, faults of the network."""
