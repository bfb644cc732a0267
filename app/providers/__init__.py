"""Providers: how a request reaches a model and how its answer comes back, for every vendor alike.

Start reading at `base.py` (the shapes), then `registry.py` (who is on offer), `vendors/offline.py` (the smallest whole
adapter) and `wire/transport.py` (how bytes travel). Adapters do no I/O: they encode a request and decode a stream.
`docs/adding-a-provider.md` describes how to add a provider.
"""
