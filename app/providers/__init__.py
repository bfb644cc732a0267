"""Providers: how a request reaches a model and how its answer comes back, for every vendor alike.

Start reading at `base.py` (the types), then `registry.py` (the table of vendors), `protocols/offline.py` (the smallest
whole adapter) and `transport.py` (how bytes travel). Adapters never do I/O: they encode a request and decode a stream.
Adding a provider is described in `docs/adding-a-provider.md`.
"""
