"""Views: domain values in the form that is shown, as plain frozen dataclasses.

They are the schemas of the HTTP API and, in `page`, the data of the page. Programs rely on their names (docs/api.md).
Not here: domain rules (they are in `domain`), reading data, HTTP. All functions are pure.

    >>> from app.domain.usage import Usage
    >>> from app.views.conversation.pair import describe_usage
    >>> describe_usage(Usage(input_tokens=3)).input_tokens
    3
"""
