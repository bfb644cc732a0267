"""Routes that prepare, start, follow or repeat a reply.

Routes that read conversations are in `conversation`, routes of comparisons in `compare`.
"""
