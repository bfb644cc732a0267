"""The models of a provider, with the facts about each: abilities, prices, parameters."""
