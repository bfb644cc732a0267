"""The cheat sheet: the language at a glance, as data for the help dialog and as a page of the documentation.

What stands in backquotes is typed as it is. Every example says what it selects by the sentence that the bar shows.

>>> SHEET[0].title, SHEET[0].rows[1][:2]
('Predicates', ('`s`', '`stars`'))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.filters.bar.description import describe_filter
from app.domain.filters.bar.words import Say, name_of, say_english
from app.domain.filters.language.commands import COMMANDS, DRY_RUN, CommandRow
from app.domain.filters.language.predicates import PREDICATES, PredicateRow
from app.domain.filters.parser.lexer import MAX_LENGTH
from app.domain.filters.parser.parser import MAX_DEPTH, MAX_TERMS, parse_filter


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the sheet."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


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
"""Examples that put predicates together."""


def _example(line: str, say: Say) -> tuple[str, str]:
    return (f"`{line}`" if line else say("sheet_nothing"), describe_filter(parse_filter(line), say))


def _call(row: CommandRow) -> str:
    flags = (f"[--{flag.name}{f'={flag.value}' if flag.value else ''}]" for flag in row.flags)
    return " ".join(filter(None, (f":{row.name}", row.argument, *flags)))


def _predicate(row: PredicateRow, say: Say) -> tuple[str, ...]:
    argument = say(f"sheet_argument_{row.name}") if row.argument else ""
    return f"`{row.short}`", f"`{row.name}`", argument, say(f"selects_{row.name}")


_EXPLAINED = {
    "operators": (
        ("`!`", "not"),
        ("sheet_and_typed", "and"),
        ("sheet_or_typed", "or"),
        ("`( )`", "group"),
        ("`@name`", "saved"),
        ("`:command`", "command"),
    ),
    "values": (
        ("sheet_text_typed", "text"),
        ("sheet_star_typed", "star"),
        ("`=` `<` `<=` `>` `>=`", "comparison"),
        ("`7d`", "age"),
        ("sheet_day_typed", "day"),
    ),
    "topics": (
        ("`t'AI'`", "topic_name"),
        ("`t'AI > Planning'`", "topic_path"),
        ("`t'AI...'`", "topic_below"),
        ("`t'*Learning'`", "topic_pattern"),
        ("`t`", "topic_chosen"),
        ("`t10`", "topic_last"),
    ),
    "boundary": (("`o`", "kept"), ("`o5`", "newest"), ("`!o`", "beyond")),
}
"""By section: what is typed, or the key of it where it has words of a person, and the key of what it means."""


def _explain(name: str, say: Say) -> Section:
    rows = (
        (say(typed) if typed.startswith("sheet_") else typed, say(f"sheet_{means}"))
        for typed, means in _EXPLAINED[name]
    )
    return Section(say(f"sheet_{name}"), (say("sheet_typed"), say("sheet_means")), tuple(rows))


def build_sheet(say: Say = say_english) -> tuple[Section, ...]:
    """The sheet in the words of `say`."""
    return (
        Section(
            say("sheet_predicates"),
            (say("sheet_short"), say("sheet_long"), say("sheet_argument"), say("sheet_selects_pairs")),
            tuple(_predicate(row, say) for row in PREDICATES.values()),
        ),
        *(_explain(name, say) for name in _EXPLAINED),
        Section(
            say("sheet_examples"),
            (say("sheet_typed"), say("sheet_selects")),
            tuple(_example(line, say) for line in _COMBINED),
        ),
        Section(
            say("sheet_commands"),
            (say("sheet_typed"), say("sheet_does"), say("sheet_example")),
            (
                *((f"`{_call(row)}`", say(name_of(row)), f"`{row.example}`") for row in COMMANDS.values()),
                (say("sheet_any_dry_run"), say(name_of(DRY_RUN)), "`e :delete --dry-run`"),
            ),
        ),
    )


SHEET = build_sheet()


_INTRODUCTION = f"""\
# The filter language

Generated from `app/domain/filters` by `make docs`.

A filter says which pairs of the conversation are visible, and what is visible is what is sent. It selects pairs (a
request and all that answered it) and never reorders them. A filter that cannot be read changes nothing: the bar says
what was found, where, what was expected, and what is still shown. Plain words are no filter; where a line is made of
them, Enter or Tab puts in the search for them (`c'words'`), and Enter applies it.
A line has at most {MAX_LENGTH:,} characters, {MAX_TERMS} predicates, and
{MAX_DEPTH} parentheses and `!` within each other."""


def describe_sheet() -> str:
    """The sheet as a page of the documentation, with every predicate's examples."""
    examples = Section(
        "Predicates by example",
        ("typed", "selects"),
        tuple(_example(example, say_english) for row in PREDICATES.values() for example in row.examples),
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
