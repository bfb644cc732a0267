"""The Settings page: one module per section, `page` puts them together."""
