"""One module per protocol, named like it: each ends in an `ADAPTER` that encodes requests and decodes streams.

Not here: what several protocols need to read an answer (`decoding`), connections (`transport.py`), the table of vendors
(`registry.py`).
"""
