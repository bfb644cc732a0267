"""Changes of Reflex's build, each a plugin that `rxconfig.py` lists: scripts, islands, the connection, the HTML."""
