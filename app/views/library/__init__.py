"""Views of a person's choices: models, agents, saved filters, preferences."""
