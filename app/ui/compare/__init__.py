"""Comparing models: the dialog of models, and the replies side by side. The button is the composer's."""
