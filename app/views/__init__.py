"""Views: domain values as they are shown, as plain frozen dataclasses.

The HTTP API's shapes, and in `screen` the page's; the names are those that programs rely on (docs/api.md).
Not here: domain rules (they are in `domain`), fetching, HTTP. Everything is a pure function of its arguments.

    >>> from app.domain.usage import Usage
    >>> from app.views.conversation.pair import describe_usage
    >>> describe_usage(Usage(input_tokens=3)).input_tokens
    3
"""
