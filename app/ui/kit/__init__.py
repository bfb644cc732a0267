"""Small parts of the page that all regions use. They read no state of the product.

`island.py` is the base of the parts that are written in TypeScript. `connection` is TypeScript alone: the connection to
the server, and what the page keeps while it waits for an answer.
"""
