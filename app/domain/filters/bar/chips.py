"""Chips of the filter bar: menus that add a term to the filter line, or remove it.

The filter is stored only in the line. A chip is on if the line has its term at the top level (not in parentheses or a
negation), so that every pair in view matches the term.

>>> write_term("r5 :flag", STARRED), write_term("s>=1 r5 :flag", None, (STARRED,))
('r5 s>=1 :flag', 'r5 :flag')
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_before_command
from app.domain.filters.language.syntax import (
    Age,
    And,
    AttachmentTerm,
    DayTerm,
    Everything,
    Expression,
    FailedTerm,
    Filter,
    Flagged,
    Leaf,
    ModelTerm,
    Op,
    Stars,
    ToolCallTerm,
    TopicTerm,
    Unit,
    all_of,
)
from app.domain.text.pattern import Pattern

STARRED: Final = Stars(Op.AT_LEAST, 1)


class ChipName(StrEnum):
    """The name of a chip of the filter bar. The order is that on the screen."""

    STARS = "stars"
    TOPIC = "topic"
    DATE = "date"
    MODEL = "model"
    KIND = "kind"


@dataclass(frozen=True, slots=True)
class Occurring:
    """The properties and values that occur in the pairs of a conversation, from which the chips are made.

    `topics` are paths of names. `models` are written as "provider:model".
    """

    any_pair: bool = False
    starred: bool = False
    flagged: bool = False
    attached: bool = False
    failed: bool = False
    called_tool: bool = False
    topics: tuple[tuple[str, ...], ...] = ()
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """A value of a chip: its text on the screen, and the term that selects it."""

    label: str
    term: Leaf


def list_options(occurring: Occurring, today: date) -> dict[ChipName, tuple[Option, ...]]:
    """Return the values of each chip. A chip that has no value in this conversation is left out."""
    days = tuple(Option(f"Last {count} days", Age(Op.AT_MOST, count, Unit.DAY)) for count in (7, 30))
    kinds = (
        (occurring.attached, Option("With an image or file", AttachmentTerm())),
        (occurring.called_tool, Option("With a tool call", ToolCallTerm())),
        (occurring.failed, Option("With an error", FailedTerm())),
        (occurring.flagged, Option("Flagged", Flagged())),
    )
    all_options = {
        ChipName.STARS: (Option("Starred", STARRED),) if occurring.starred else (),
        ChipName.TOPIC: tuple(Option(" > ".join(path), _under(path)) for path in occurring.topics),
        ChipName.DATE: (Option("Today", DayTerm(Op.EQUAL, today)), *days) if occurring.any_pair else (),
        ChipName.MODEL: tuple(Option(name, ModelTerm(Pattern((name,)))) for name in occurring.models),
        ChipName.KIND: tuple(option for occurs, option in kinds if occurs),
    }
    return {name: options for name, options in all_options.items() if options}


def list_terms(line: str) -> tuple[Expression, ...]:
    """Return the terms at the top level of a line. Every pair in view matches all of them.

    Raises:
        FilterError: the line cannot be read.
    """
    return _terms(parse_before_command(line)[0])


def list_others(line: str, options: tuple[Option, ...]) -> tuple[Leaf, ...]:
    """Return the terms to remove from the line when a person chooses a value of a chip: the terms of its options.

    For the date chip, every day at the top level of the line is removed, because no pair has two days. This includes
    days that are no option any more, such as a "Today" that was chosen yesterday.

    Raises:
        FilterError: the line cannot be read.
    """
    terms = tuple(one.term for one in options)
    if not any(isinstance(term, DayTerm) for term in terms):
        return terms
    return (*terms, *(term for term in list_terms(line) if isinstance(term, DayTerm) and term.op is Op.EQUAL))


def write_term(line: str, term: Leaf | None, others: tuple[Leaf, ...] = ()) -> str:
    """Return the line with `term` added and the terms in `others` removed. If `term` is None, nothing is added.

    The filter is written in its short form. A command at the end of the line is kept.

    Raises:
        FilterError: the line cannot be read.
    """
    tree, command = parse_before_command(line)
    kept = [each for each in _terms(tree) if each != term and each not in others]
    terms = kept if term is None else [*kept, term]
    written = format_filter(all_of(*terms)) if terms else ""
    return f"{written} {command}".strip()


def _terms(tree: Filter) -> tuple[Expression, ...]:
    match tree:
        case Everything():
            return ()
        case And(terms):
            return terms
        case _:
            return (tree,)


def _under(path: tuple[str, ...]) -> TopicTerm:
    return TopicTerm(tuple(Pattern((name,)) for name in path))
