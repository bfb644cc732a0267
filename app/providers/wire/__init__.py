"""The network I/O: requests, answers with limits, streams, network faults."""
