"""The predicates of the filter language, as a table with one row for each.

Parser, formatter, completion, cheat sheet and documentation use these rows.

>>> NAMES["s"], PREDICATES[Name.STARS].short
(<Name.STARS: 'stars'>, 's')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType


class Name(StrEnum):
    """The long name of a predicate of the filter language."""

    TOPIC = "topic"
    STARS = "stars"
    RECENT = "recent"
    FLAGGED = "flagged"
    UNFLAGGED = "unflagged"
    IN = "in"
    OUT = "out"
    MODEL = "model"
    DATE = "date"
    TEXT = "text"
    IMAGES = "images"
    ERRORS = "errors"
    TOOL = "tool"
    TOKENS = "tokens"
    AGENT = "agent"
    CONTEXT = "context"


class Takes(Enum):
    """The rule for the argument of a predicate: not allowed, optional, or required."""

    NOTHING = "nothing"
    MAYBE = "maybe"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class PredicateRow:
    """A predicate and its help text. `selects` completes the text "pairs that …". Each example is a whole filter."""

    name: Name
    short: str
    takes: Takes
    argument: str
    selects: str
    examples: tuple[str, ...]


_ROWS = (
    PredicateRow(
        Name.TOPIC,
        "t",
        Takes.MAYBE,
        "name, path or pattern; none; N ≥ 1",
        "are filed under that topic; without a name: under the chosen topic; with N: its last N pairs",
        ("t'AI'", "t'AI > Planning'", "t'AI...'", "t'*Learning'", "t", "t10"),
    ),
    PredicateRow(
        Name.STARS,
        "s",
        Takes.ALWAYS,
        "comparison with 0 to 3",
        "have that number of stars",
        ("s2", "s>=2", "s<1"),
    ),
    PredicateRow(
        Name.RECENT,
        "r",
        Takes.ALWAYS,
        "N ≥ 1",
        "are among the last N of the whole conversation, whatever else the filter says",
        ("r10",),
    ),
    PredicateRow(Name.FLAGGED, "b", Takes.NOTHING, "", "are flagged", ("b",)),
    PredicateRow(Name.UNFLAGGED, "g", Takes.NOTHING, "", "are not flagged", ("g",)),
    PredicateRow(Name.IN, "in", Takes.NOTHING, "", "are tagged “include”", ("in",)),
    PredicateRow(Name.OUT, "out", Takes.NOTHING, "", "are tagged “exclude”", ("out", "!out")),
    PredicateRow(
        Name.MODEL,
        "m",
        Takes.MAYBE,
        "pattern; none",
        "were answered by that model; without a name: by the chosen model",
        ("m'claude*'", "m"),
    ),
    PredicateRow(
        Name.DATE,
        "d",
        Takes.ALWAYS,
        "comparison with an age (min h d w mo y) or a day",
        "were first sent in that time",
        ("d<7d", "d>2mo", "d7d", "d2025-01-31", "d>=25-01-31"),
    ),
    PredicateRow(
        Name.TEXT,
        "c",
        Takes.ALWAYS,
        "pattern",
        "contain the text in the request or the reply",
        ("c'budget'", "c'mad*d'"),
    ),
    PredicateRow(Name.IMAGES, "i", Takes.NOTHING, "", "have an image or a file", ("i",)),
    PredicateRow(Name.ERRORS, "e", Takes.NOTHING, "", "ended in an error or contain one", ("e", "!e")),
    PredicateRow(
        Name.TOOL,
        "k",
        Takes.MAYBE,
        "pattern; none",
        "called that tool; without a name: any tool",
        ("k'git*'", "k"),
    ),
    PredicateRow(
        Name.TOKENS,
        "u",
        Takes.ALWAYS,
        "comparison with N ≥ 0",
        "have that many tokens by the current estimate",
        ("u>2000",),
    ),
    PredicateRow(
        Name.AGENT,
        "a",
        Takes.MAYBE,
        "pattern; none",
        "were answered by that agent; without a name: by the chosen agent",
        ("a'Reviewer'", "a"),
    ),
    PredicateRow(
        Name.CONTEXT,
        "o",
        Takes.MAYBE,
        "none; N ≥ 0",
        "are within the context boundary; with N, also the newest N beyond it",
        ("o", "o5", "!o"),
    ),
)

PREDICATES: Mapping[Name, PredicateRow] = MappingProxyType({row.name: row for row in _ROWS})

NAMES: Mapping[str, Name] = MappingProxyType(
    {spelling: row.name for row in _ROWS for spelling in (row.short, row.name.value)}
)
"""The predicate of each spelling, short and long."""

STARTERS: Mapping[Name, tuple[str, str]] = MappingProxyType(
    {
        Name.STARS: ("stars>=2", "two or more stars"),
        Name.FLAGGED: ("flagged", "pairs with a flag"),
        Name.RECENT: ("recent 5", "the last 5 pairs"),
        Name.TEXT: ("text'budget'", "pairs with this text"),
        Name.DATE: ("date<7d", "from the last 7 days"),
        Name.TOPIC: ("topic", "under the chosen topic"),
        Name.IMAGES: ("images", "with an image or a file"),
        Name.ERRORS: ("errors", "with an error"),
        Name.MODEL: ("model", "answered by the chosen model"),
        Name.AGENT: ("agent", "answered by the chosen agent"),
        Name.TOOL: ("tool", "with a tool call"),
        Name.TOKENS: ("tokens>2000", "more than 2,000 tokens"),
        Name.UNFLAGGED: ("unflagged", "pairs without a flag"),
        Name.IN: ("in", "tagged “include”"),
        Name.OUT: ("out", "tagged “exclude”"),
        Name.CONTEXT: ("context", "within the context boundary"),
    }
)
"""The first suggestions, in order: for each predicate a filter with its long name, and the pairs that it selects."""

MAX_STARS = 3
MAX_NUMBER = 999_999_999
"""The largest number in a filter: larger than any count of pairs or tokens, and valid in every database."""
