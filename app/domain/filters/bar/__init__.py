"""Texts that help to write a filter line: chips, completion, description, warnings, cheat sheet and questions."""
