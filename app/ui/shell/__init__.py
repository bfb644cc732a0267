"""What every page has around its content."""
