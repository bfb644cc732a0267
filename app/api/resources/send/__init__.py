"""Routes that prepare, start, follow or repeat a reply.

Routes that read conversations are in `conversation`, those of comparisons in `compare`.
"""
