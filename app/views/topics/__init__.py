"""Views of topics."""
