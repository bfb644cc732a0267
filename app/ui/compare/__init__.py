"""Comparing models: the dialog that chooses models, and the replies side by side. The button is in `composer`."""
