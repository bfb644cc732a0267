"""The request of a preview or a request snapshot on the page, and its differences from another request."""
