"""A conversation as shown: its pairs, what stands between them, and where it comes from."""
