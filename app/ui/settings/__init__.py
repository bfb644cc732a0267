"""The Settings page: a module per section, those about people, models and tools in rooms of their own.

Here: what sections share, and the sections about the page itself. `app/ui/pages/settings.py` puts all together.
"""
