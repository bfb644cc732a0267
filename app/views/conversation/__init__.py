"""A conversation as shown: its pairs, the nodes between them, and where it comes from."""
