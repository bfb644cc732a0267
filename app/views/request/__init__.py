"""A send as shown: what it carries, what it costs, and what of it a provider keeps."""
