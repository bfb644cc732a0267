"""The request of a preview or a context snapshot on the page, and its differences from another request."""
