"""Comparing models: the dialog that chooses models, and the replies side by side.

The button that shows the replies is in the package `composer`.
"""
