"""Which models a provider has, and what is known of each: its list, its abilities, its prices, the parameters it takes.

Not here: which providers there are (`registry.py`), and how tokens are counted for a model (`tokens`).
"""
