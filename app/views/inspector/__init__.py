"""What the inspector on the page shows: requests and their differences, the tools of a send, the cache, the log."""
