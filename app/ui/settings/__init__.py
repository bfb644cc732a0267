"""The sections of the Settings page, a module for each. `app/ui/pages/settings.py` combines them."""
