"""The data of a conversation's page, as frozen values made of scalars, tuples and other such values.

The API has separate views outside this package: programs read dates and JSON objects, while the page's values must be
immutable, so that only their differences are sent (`app/patches`). Here dates are ISO 8601 text, JSON is text, and an
unknown figure is None or "unknown", never zero.
"""
