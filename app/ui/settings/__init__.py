"""The Settings page: one module per section. `app/ui/pages/settings.py` puts them together."""
