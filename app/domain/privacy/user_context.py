r"""User context: a text that a person wrote about themselves for models, and the date.

Both are shown as a card above the pairs and are sent exactly as shown. Only the date changes automatically, once a day.
There is no time of day, because a request with another time would miss every provider's cache.

    >>> from datetime import date
    >>> describe_user("I am Ada, a nurse.", date(2026, 11, 22))
    'About the person you talk to:\nI am Ada, a nurse.\n\nToday is Sunday, 22 November 2026.'
    >>> describe_user("  ", None)
"""

from __future__ import annotations

from datetime import date

MAX_ABOUT = 4000
"""Maximum number of characters that a person may write about themselves."""

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def describe_user(about: str, today: date | None) -> str | None:
    """Return the text about a person, or None if there is none. It does not depend on the machine or its locale."""
    texts: list[str] = []
    if about.strip():
        texts.append(f"About the person you talk to:\n{about.strip()}")
    if today is not None:
        texts.append(f"Today is {_DAYS[today.weekday()]}, {today.day} {_MONTHS[today.month - 1]} {today.year}.")
    return "\n\n".join(texts) or None
