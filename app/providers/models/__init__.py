"""Which models a provider has, and what is known of each: abilities, prices, parameters."""
