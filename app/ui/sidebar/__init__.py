"""The left column of the page: the list of conversations with its search and filter, and links to other pages."""
