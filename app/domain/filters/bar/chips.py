"""The chips: predicates without an argument that a person switches on and off in the filter in force.

A chip is on where the filter asks for its predicate beside everything else: at its top, not within an "or".

    >>> toggle_chip("s2", Chip.HUMAN), toggle_chip("s2 h", Chip.HUMAN), toggle_chip("s2 | r3", Chip.CACHED)
    ('s2 h', 's2', '(s2 | r3) w')
    >>> chips_on("k h")
    (<Chip.HUMAN: 'human'>, <Chip.TOOL: 'tool'>)
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.syntax import (
    And,
    Answered,
    Asked,
    CacheHit,
    CalledTool,
    Everything,
    Expression,
    Filter,
    Predicate,
    all_of,
)
from app.domain.filters.parser.parser import parse_filter


class Chip(StrEnum):
    """What a chip asks for: a message of a person, of a model or of a tool, or a cache hit."""

    HUMAN = "human"
    ASSISTANT = "assistant"
    TOOL = "tool"
    CACHED = "cached"


_TERMS: Mapping[Chip, Predicate] = MappingProxyType(
    {Chip.HUMAN: Asked(), Chip.ASSISTANT: Answered(), Chip.TOOL: CalledTool(), Chip.CACHED: CacheHit()}
)


def chips_on(line: str) -> tuple[Chip, ...]:
    """The chips that are on in a filter.

    Raises:
        FilterError: the filter cannot be read.
    """
    terms = _top_terms(parse_filter(line))
    return tuple(chip for chip, term in _TERMS.items() if term in terms)


def toggle_chip(line: str, chip: Chip) -> str:
    """The filter with this chip switched on or off.

    Raises:
        FilterError: the filter cannot be read.
    """
    term = _TERMS[chip]
    terms = _top_terms(parse_filter(line))
    left = tuple(one for one in terms if one != term) if term in terms else (*terms, term)
    return format_filter(all_of(*left)) if left else ""


def _top_terms(tree: Filter) -> tuple[Expression, ...]:
    match tree:
        case Everything():
            return ()
        case And(terms):
            return terms
        case _:
            return (tree,)
