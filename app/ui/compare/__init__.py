"""Comparing models: the button beside the text area, the dialog of models, and the replies side by side."""
