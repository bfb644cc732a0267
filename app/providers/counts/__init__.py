"""Token counts: asked of a provider, or made here in a public vocabulary."""
