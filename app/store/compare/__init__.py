"""Comparisons: queries. Their table is in `conversation`, because queries of conversations use it."""
