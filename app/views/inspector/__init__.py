"""Values of the inspector on the page: requests and their differences, the tools of a send, the cache, the log."""
