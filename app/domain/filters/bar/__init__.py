"""Texts for the person who writes a filter line: chips, completion, description, warnings, key sheet and questions."""
