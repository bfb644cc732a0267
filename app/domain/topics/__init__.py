"""Topics: the tree that a person uses to sort pairs, and its rules.

Not here: other marks of a pair (`conversation`).
"""
