"""Comparisons: several models answer one request side by side, and the user keeps one reply.

Not here: sending the request (`runs/compare`).
"""
