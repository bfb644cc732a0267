"""Views of what a person chooses or sets up: models, agents, saved filters, preferences."""
