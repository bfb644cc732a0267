"""Sections about what is sent to models: their providers, the size of a context, what is redacted, automatic calls."""
