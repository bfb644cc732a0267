"""Routes of comparisons.

Routes that send to one model are in `send`.
"""
