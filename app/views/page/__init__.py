"""Views for the page of a conversation: frozen dataclasses made of scalars, tuples and other such dataclasses.

The views of the API are outside this package: programs read dates and JSON objects, while the values of the page must
be immutable, so that only their differences are sent (`app/patches`). Here a time is ISO 8601 text, JSON is text, and
an unknown figure is None or "unknown", never zero.
"""
