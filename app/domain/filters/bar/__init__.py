"""Texts that help to write a filter: chips, completion, description, warnings, cheat sheet, confirmation questions."""
