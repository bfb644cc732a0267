"""A pair on the page: its request, its reply with tool cards, its failure; and the queue and permission requests."""
