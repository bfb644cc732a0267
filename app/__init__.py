"""Inview: a chat workbench. The messages that are in view are the messages that are in the context of the model."""
