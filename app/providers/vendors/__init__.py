"""The adapters, one module for each protocol: encoding of requests, decoding of streams, usage and errors."""
