"""Choices of a person as shown: models, agents, saved filters, preferences."""
