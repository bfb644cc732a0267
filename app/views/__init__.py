"""Views: domain values in the form that is shown, as plain frozen dataclasses.

Some are the schemas of the HTTP API: programs rely on their names (docs/api.md). The others are the data of the page:
those in `reply`, `composer` and `inspector`, and some in `attachments`, `compare`, `filters` and `structured`. The
values of the page consist of scalars, tuples and other such dataclasses: they must be immutable, so that only their
differences are sent (`app/patches`). In the values of the page, a time is ISO 8601 text, JSON is text, and an unknown
figure is None or "unknown", never zero.

Not here: domain rules (they are in `domain`), reading data, HTTP. All functions are pure.

    >>> from app.domain.usage import Usage
    >>> from app.views.conversation.pair import describe_usage
    >>> describe_usage(Usage(input_tokens=3)).input_tokens
    3
"""
