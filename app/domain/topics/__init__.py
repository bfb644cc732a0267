"""Topics: the tree by which a person files pairs, and its rules.

Not other marks of a pair (`conversation`).
"""
