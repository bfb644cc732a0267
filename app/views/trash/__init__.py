"""Views of the trash."""
