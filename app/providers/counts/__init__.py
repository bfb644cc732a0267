"""Token counts, which a provider returns or Inview computes with a public vocabulary."""
