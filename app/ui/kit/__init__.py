"""Small parts of the page that all regions use. They read no state of the product.

`island.py` is the base of the parts that are written in TypeScript. `connection` has only TypeScript: the connection to
the server, and the data that the page keeps while it waits for an answer.
"""
