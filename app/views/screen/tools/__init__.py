"""Cards, bodies and choice of tools on the screen."""
