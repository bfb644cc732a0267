"""Changes of what Reflex builds, each a plugin that `rxconfig.py` lists: scripts, islands, the connection, the HTML."""
