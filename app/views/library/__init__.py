"""What a person chooses from, as shown: models, agents, saved filters, preferences."""
