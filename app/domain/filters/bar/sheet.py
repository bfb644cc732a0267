"""The cheat sheet: the filter language at a glance, for the help dialog and as a page of the documentation.

A text in backquotes is typed literally. Every example has the description that the filter bar shows for it.

>>> SHEET[0].title, SHEET[0].rows[1][:2]
('Filters', ('`stars`', '`s`'))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.filters.bar.sentence import describe_filter
from app.domain.filters.language.commands import COMMANDS, DRY_RUN, CommandRow
from app.domain.filters.language.lexer import MAX_LENGTH
from app.domain.filters.language.parser import MAX_DEPTH, MAX_TERMS, parse_filter
from app.domain.filters.language.predicates import PREDICATES


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the cheat sheet: its title, the heads of its columns, and its rows."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


_TYPED = ("typed", "means")

_COMBINED = (
    "",
    "t'AI...' s>=2",
    "s2r3",
    "(b | s3) d<1mo",
    "m'claude*' !e",
    "t'AI...' o | r3",
    "!out o5",
    "c'mad*d' !k",
    "t'*Neural*...' | i",
)
"""Examples that combine predicates."""


def _example(line: str) -> tuple[str, str]:
    return (f"`{line}`" if line else "nothing", describe_filter(parse_filter(line)))


def _call(row: CommandRow) -> str:
    flags = (f"[--{flag.name}{f'={flag.value}' if flag.value else ''}]" for flag in row.flags)
    return " ".join(filter(None, (f":{row.name}", row.argument, *flags)))


SHEET = (
    Section(
        "Filters",
        ("word", "short", "value", "selects pairs that"),
        tuple((f"`{row.name}`", f"`{row.short}`", row.argument, row.selects) for row in PREDICATES.values()),
    ),
    Section(
        "Operators",
        _TYPED,
        (
            ("`!`", "not"),
            ("`&`, or nothing at all", "and: `s2r3`, `s2 r3` and `s2 & r3` are the same"),
            ("`|` or `+`", "or"),
            ("`( )`", "grouping; without it `!` binds more tightly than `&`, and `&` than `|`"),
            ("`@name`", "the filter saved under that name"),
            ("`:command`", "does something with what the filter before it selects"),
        ),
    ),
    Section(
        "Values",
        _TYPED,
        (
            (
                "`'text'` or `\"text\"`",
                (r"text; `\'` `\"` `\\` `\n` `\t` `\r` are escapes; before any other character, `\` means itself"),
            ),
            ("`*` in quotes", r"any characters; a literal star is `\*`. Case does not matter"),
            ("`=` `<` `<=` `>` `>=`", "comparisons; without one, `=` applies, or `<=` for an age"),
            ("`7d`", "an age, in `min` `h` `d` `w` `mo` (30 days) `y` (365 days); without a unit in days"),
            ("`2025-01-31` or `25-01-31`", "a day in your time zone; `<` before its start, `<=` including it"),
        ),
    ),
    Section(
        "Topics",
        _TYPED,
        (
            ("`t'AI'`", "every topic of that name, without its subtopics"),
            (
                "`t'AI > Planning'`",
                (r"by path from the root, or by an unambiguous end of the path; `\>` is a literal `>`"),
            ),
            ("`t'AI...'`", "with all subtopics"),
            ("`t'*Learning'`", "names by pattern"),
            ("`t`", "the topic chosen in the message box, without its subtopics"),
            ("`t10`", "the last 10 pairs of the chosen topic and its subtopics; `t'10'` is a topic called 10"),
        ),
    ),
    Section(
        "Boundary",
        _TYPED,
        (
            ("`o`", "the pairs within the context boundary, computed from the filter without every `o`"),
            ("`o5`", "also the newest 5 pairs beyond the boundary; they are shown and marked OUT, but not sent"),
            ("`!o`", "the pairs beyond the boundary"),
        ),
    ),
    Section("Examples", ("typed", "selects"), tuple(map(_example, _COMBINED))),
    Section(
        "Commands",
        ("typed", "does", "example"),
        (
            *((f"`{_call(row)}`", row.does, f"`{row.example}`") for row in COMMANDS.values()),
            (f"any of them with `--{DRY_RUN.name}`", DRY_RUN.does, "`e :delete --dry-run`"),
        ),
    ),
)


_INTRODUCTION = f"""\
# The filter language

Generated from `app/domain/filters` by `make docs`.

A filter selects the visible pairs of the conversation, and exactly the visible pairs are sent. A pair is a request with
its reply. A filter never reorders pairs. A filter with an error changes nothing: the bar shows the error, its place,
the expected text and the filter that is still in force. Plain words are no filter. If a line is made of
words, Enter applies the filter that searches for them (`c'words'`), and Tab writes it into the line.
Chips below the line write its most common terms, for values that occur in the conversation, and take them out again.
A line has at most {MAX_LENGTH:,} characters, {MAX_TERMS} filter words, and
{MAX_DEPTH} parentheses and `!` within each other."""


def describe_sheet() -> str:
    """Return the cheat sheet as a page of the documentation, with the examples of every predicate."""
    examples = Section(
        "Filters by example",
        ("typed", "selects"),
        tuple(_example(example) for row in PREDICATES.values() for example in row.examples),
    )
    lines = (line for section in (*SHEET, examples) for line in _table(section))
    return "\n".join((_INTRODUCTION, *lines, ""))


def _table(section: Section) -> Iterable[str]:
    yield from ("", f"## {section.title}", "")
    yield _line(section.heads)
    yield _line(["---"] * len(section.heads))
    yield from map(_line, section.rows)


def _line(cells: Iterable[str]) -> str:
    escaped = (cell.replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
