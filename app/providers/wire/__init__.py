"""The network I/O: requests, answers with limits, streams, and network faults."""
