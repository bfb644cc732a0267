"""Tools on the page: the card of a tool call, its content, and the panel that chooses the tools of a send."""
