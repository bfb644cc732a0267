"""Views of a send: its content, its cost, and its use of the provider's cache."""
