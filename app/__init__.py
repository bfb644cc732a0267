"""Inview: a chat workbench. The messages in view are the messages in context."""
