"""Token counts: requested from a provider, or computed with a public vocabulary."""
