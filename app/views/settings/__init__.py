"""Views of preferences and of models."""
