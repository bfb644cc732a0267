"""Filters over all conversations of a person: which terms have a meaning there, and which rows a database can rule out
first.

What is relative to one conversation (its newest pairs, its boundary, what its composer has chosen, the present
estimate of its model) means nothing across conversations and is refused, never ignored.

    >>> from app.domain.filters.parser.parser import parse_filter
    >>> require_across(parse_filter("c'budget' d<30d"))
"""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.errors import InputError
from app.domain.filters.conditions.condition import (
    AllOf,
    CompareNumber,
    CompareTime,
    Condition,
    Fact,
    Has,
    Number,
    OneOf,
)
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.syntax import (
    Agent,
    ChosenTopic,
    Filter,
    InContext,
    Leaf,
    Model,
    Recent,
    RecentOfTopic,
    Tokens,
    leaves,
)


def require_across(tree: Filter) -> None:
    """Refuse a filter that means something in one conversation only. Saved filters are to be put in before.

    Raises:
        InputError: a term is relative to a conversation; it names the term.
    """
    for leaf in leaves(tree):
        if _is_relative(leaf):
            words = format_filter(leaf)
            raise InputError("filter", f'has "{words}", which means something within one conversation. Leave it out.')


def list_cheap(condition: Condition) -> Iterator[Condition]:
    """Conditions that hold for every pair that this one holds for, and that ask for a pair's own columns alone."""
    match condition:
        case AllOf(conditions):
            for each in conditions:
                yield from list_cheap(each)
        case CompareTime() | OneOf() | Has(Fact.FLAG) | CompareNumber(Number.STARS):
            yield condition
        case _:
            pass


def _is_relative(leaf: Leaf) -> bool:
    match leaf:
        case Recent() | RecentOfTopic() | ChosenTopic() | InContext() | Tokens():
            return True
        case Model(name) | Agent(name):
            return name is None
        case _:
            return False
