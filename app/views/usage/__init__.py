"""Views of tokens and money."""
