"""Buttons, links, icons and lists of options."""
