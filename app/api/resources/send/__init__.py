"""Routes that prepare, start, follow or repeat a reply.

Not reading conversations (`conversation`).
"""
