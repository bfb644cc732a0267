"""The models of a provider, with their abilities, prices and parameters."""
