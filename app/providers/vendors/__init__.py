"""One module for the protocol of each vendor: requests as bytes, events of the stream, usage, errors."""
