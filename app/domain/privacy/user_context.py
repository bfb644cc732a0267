r"""User context: what a person lets models know about themselves, the folder and the first request of the
conversation, and the time.

All of it is shown as a card above the pairs and is sent exactly as shown. The parts that change are last: the date
changes once a day, the time once a minute. A provider has no prefix of a request with another time in its cache.

    >>> describe_user(UserContext("I am Ada, a nurse.", today=date(2026, 11, 22)))
    'About the person you talk to:\nI am Ada, a nurse.\n\nToday is Sunday, 22 November 2026.'
    >>> describe_user(UserContext("  "))
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from app.domain.privacy.secrets import MAX_KEY_BLOCK, cut_outside_secrets

MAX_ABOUT = 4000
"""Maximum number of characters that a person may write about themselves."""
MAX_USER_NAME = 100
"""Maximum number of characters of the name or id of the person."""
MAX_FIRST_REQUEST = 2000
"""Maximum number of characters of the conversation's first request. A longer one is cut, and ends with "…"."""
READ_OF_FIRST_REQUEST = MAX_FIRST_REQUEST + MAX_KEY_BLOCK
"""Number of characters of the first request to read: enough to find a secret that would be cut."""

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class UserContext:
    """The facts about a person and the conversation that models get. A part that is "" or None is not sent.

    - `about`: the text of the person about themselves.
    - `name`: the name or id of the person.
    - `project`: the name of the folder of the conversation. For the work of an agent that another agent requested: that
      of the person's conversation.
    - `first_request`: the first request of the conversation. For the work of an agent that another agent requested:
      that of the person's conversation.
    - `today`: the date.
    - `time`: the time of day and its time zone; sent with the date only.
    """

    about: str = ""
    name: str = ""
    project: str = ""
    first_request: str = ""
    today: date | None = None
    time: str = ""


NO_CONTEXT = UserContext()


def describe_user(context: UserContext, *, redact: bool = False) -> str | None:
    """Return the text of the card, or None if there is none. It does not depend on the machine or its locale.

    `redact`: secrets in the text will be replaced, so the first request is not cut in the middle of a secret.
    """
    texts: list[str] = []
    if context.name.strip():
        texts.append(f"User: {context.name.strip()}")
    if context.about.strip():
        texts.append(f"About the person you talk to:\n{context.about.strip()}")
    if context.project.strip():
        texts.append(f"Project: {context.project.strip()}")
    if first := context.first_request.strip():
        beginning = cut_outside_secrets(first, MAX_FIRST_REQUEST) if redact else first[:MAX_FIRST_REQUEST]
        cut = f"{beginning}…" if len(beginning) < len(first) else first
        texts.append(f"The first request of this conversation:\n{cut}")
    if (today := context.today) is not None:
        day = f"Today is {_DAYS[today.weekday()]}, {today.day} {_MONTHS[today.month - 1]} {today.year}."
        texts.append(f"{day} The time is {context.time}." if context.time else day)
    return "\n\n".join(texts) or None
