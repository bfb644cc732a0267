"""Inview: a chat workbench in which what is in view is what is in context."""
