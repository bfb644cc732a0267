"""What the page shows of a conversation, as frozen values made of scalars, tuples and other such values.

The API has views of its own beside this package: programs read dates and JSON objects, while a page's values must not
be able to change in place, so that only their differences travel (`app/patches`). Dates are ISO 8601 text here, JSON is
text, and a figure that nobody knows is None or "unknown", never zero.
"""
