"""Providers: send a request to a model and receive its answer, in the same way for every vendor.

Start reading at `base.py` (the types), then `registry.py` (the table of vendors), `vendors/offline.py` (the smallest
complete adapter) and `wire/transport.py` (the I/O). Adapters do no I/O: they encode a request and decode a stream.
`docs/adding-a-provider.md` describes how to add a provider.
"""
