"""What the pages are made of: one module a noun, and beside it the script it wraps, if Python could not do it."""
