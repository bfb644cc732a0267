"""Views of a send: its content, its size and cost, and its effect on the provider's cache."""
