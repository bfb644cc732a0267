"""Every example and rule of the filter language, as written by a person."""

from __future__ import annotations

from datetime import date

import pytest

from app.domain.conversation.conversation import Mark
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.predicates import NAMES, PREDICATES
from app.domain.filters.language.syntax import (
    Age,
    AgentTerm,
    And,
    AttachmentTerm,
    ChosenTopic,
    Contains,
    DayTerm,
    Everything,
    Expression,
    FailedTerm,
    Filter,
    Flagged,
    InContext,
    MarkTerm,
    ModelTerm,
    Not,
    Op,
    Or,
    Recent,
    RecentOfTopic,
    Saved,
    Stars,
    TokensTerm,
    ToolCallTerm,
    TopicTerm,
    Unit,
    all_of,
    any_of,
)
from tests.domain.filters.strategies import pattern

B, G, WITH_IMAGE, E = Flagged(), Flagged(flagged=False), AttachmentTerm(), FailedTerm()
S2, R3, R10 = Stars(Op.EQUAL, 2), Recent(3), Recent(10)


def topic(*names: str, below: bool = False) -> TopicTerm:
    return TopicTerm(tuple(map(pattern, names)), below)


@pytest.mark.parametrize(
    ("short", "long", "tree"),
    [
        ("t'AI > Planning'", "topic 'AI > Planning'", topic("AI", "Planning")),
        ("t", "topic", ChosenTopic()),
        ("t10", "topic10", RecentOfTopic(10)),
        ("s>=2", "stars>=2", Stars(Op.AT_LEAST, 2)),
        ("s2", "stars=2", S2),
        ("r10", "recent10", R10),
        ("b", "flagged", B),
        ("g", "unflagged", G),
        ("in", "in", MarkTerm(Mark.IN)),
        ("out", "out", MarkTerm(Mark.OUT)),
        ("m'claude*'", "model'claude*'", ModelTerm(pattern("claude*"))),
        ("m", "model", ModelTerm()),
        ("d<7d", "date<7d", Age(Op.LESS, 7, Unit.DAY)),
        ("c'text'", "text'text'", Contains(pattern("text"))),
        ("i", "images", WITH_IMAGE),
        ("e", "errors", E),
        ("k", "tool", ToolCallTerm()),
        ("k'git*'", "tool'git*'", ToolCallTerm(pattern("git*"))),
        ("u>2000", "tokens>2000", TokensTerm(Op.MORE, 2000)),
        ("a'Reviewer'", "agent'Reviewer'", AgentTerm(pattern("Reviewer"))),
        ("a", "agent", AgentTerm()),
        ("o", "context", InContext()),
        ("o5", "context5", InContext(5)),
        ("o0", "context0", InContext()),
    ],
)
def test_every_predicate_has_a_short_and_a_long_name(short: str, long: str, tree: Filter) -> None:
    assert parse_filter(short) == parse_filter(long) == tree


def test_every_spelling_of_every_predicate_is_distinguished() -> None:
    assert len(NAMES) == sum(1 if row.short == row.name else 2 for row in PREDICATES.values())


@pytest.mark.parametrize("line", ["s2r3", "s2 r3", "s2 & r3", "s2&r3", " s2\n\tr3 ", "s 2 r 3", "(s2)(r3)", "s2&(r3)"])
def test_adjacency_is_and_with_or_without_white_space(line: str) -> None:
    assert parse_filter(line) == And((S2, R3))


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("s2b", And((S2, B))),
        ("t'AI'b", And((topic("AI"), B))),
        ("b(s2|r3)", And((B, Or((S2, R3))))),
        ("b!g", And((B, Not(G)))),
        ("d7dr10", And((Age(Op.AT_MOST, 7, Unit.DAY), R10))),
        ("d7r10", And((Age(Op.AT_MOST, 7, Unit.DAY), R10))),
        ("d7mos2", And((Age(Op.AT_MOST, 7, Unit.MONTH), S2))),
        ("d7m'x'", And((Age(Op.AT_MOST, 7, Unit.DAY), ModelTerm(pattern("x"))))),
        ("d7in", And((Age(Op.AT_MOST, 7, Unit.DAY), MarkTerm(Mark.IN)))),
        ("d7date<3h", And((Age(Op.AT_MOST, 7, Unit.DAY), Age(Op.LESS, 3, Unit.HOUR)))),
        ("d2025-01-31r3", And((DayTerm(Op.EQUAL, date(2025, 1, 31)), R3))),
        ("bs2", And((B, S2))),
        ("bis2", And((B, WITH_IMAGE, S2))),
        ("outs2", And((MarkTerm(Mark.OUT), S2))),
        ("t m'x'", And((ChosenTopic(), ModelTerm(pattern("x"))))),
    ],
)
def test_predicates_need_no_white_space_after_an_argument_or_before_one(line: str, tree: Expression) -> None:
    assert parse_filter(line) == tree


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("b | s2 r3", Or((B, And((S2, R3))))),
        ("s2 r3 | b", Or((And((S2, R3)), B))),
        ("(b | s2) r3", And((Or((B, S2)), R3))),
        ("!b s2", And((Not(B), S2))),
        ("!(b s2)", Not(And((B, S2)))),
        ("!b | s2", Or((Not(B), S2))),
        ("!!b", Not(Not(B))),
        ("b + s2", Or((B, S2))),
        ("b + s2 | r3", Or((B, S2, R3))),
        ("((b))", B),
        ("(b s2) r3", And((B, S2, R3))),
        ("b | (s2 | r3)", Or((B, S2, R3))),
        ("(t'AI...' & o) | r3", Or((And((topic("AI", below=True), InContext())), R3))),
    ],
)
def test_not_binds_closer_than_and_and_and_closer_than_or(line: str, tree: Expression) -> None:
    assert parse_filter(line) == tree


@pytest.mark.parametrize("line", ["", " ", "\n\t  "])
def test_the_empty_filter_is_everything(line: str) -> None:
    assert parse_filter(line) == Everything()


# --- values ---


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"'it\'s'", "it's"),
        ('"it\'s"', "it's"),
        (r'"say \"so\""', 'say "so"'),
        (r"'a\\b'", r"a\b"),
        (r"'a\nb\tc\rd'", "a\nb\tc\rd"),
        (r"'\q\é\ '", "qé "),
        (r"'2 \* 3'", "2 * 3"),
        ("'a\nb'", "a\nb"),
        ("' '", " "),
        ("'🦊 :|&('", "🦊 :|&("),
    ],
)
def test_strings_are_quoted_with_escapes(written: str, text: str) -> None:
    tree = parse_filter(f"c{written}")

    assert isinstance(tree, Contains)
    assert tree.text.pieces == (text,)


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("c'mad*d'", ("mad", "d")),
        ("c'*x'", ("", "x")),
        ("c'a***b'", ("a", "b")),
        ("c'*'", ("", "")),
        ("c'**'", ("", "")),
    ],
)
def test_stars_match_any_run_of_characters(line: str, pieces: tuple[str, ...]) -> None:
    tree = parse_filter(line)

    assert isinstance(tree, Contains)
    assert tree.text.pieces == pieces


@pytest.mark.parametrize(
    ("sign", "op"),
    [("", Op.EQUAL), ("=", Op.EQUAL), ("<", Op.LESS), ("<=", Op.AT_MOST), (">", Op.MORE), (">=", Op.AT_LEAST)],
)
def test_comparisons_are_equal_unless_said(sign: str, op: Op) -> None:
    assert parse_filter(f"s{sign}2") == Stars(op, 2)
    assert parse_filter(f"u {sign} 9") == TokensTerm(op, 9)
    assert parse_filter(f"d{sign}2025-01-31") == DayTerm(op, date(2025, 1, 31))


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("t'AI'", topic("AI")),
        ("t'AI > Planning'", topic("AI", "Planning")),
        ("t'AI>Planning'", topic("AI", "Planning")),
        ("t' AI  >  Planning '", topic("AI", "Planning")),
        ("t'AI...'", topic("AI", below=True)),
        ("t'AI > Planning ...'", topic("AI", "Planning", below=True)),
        ("t'*Learning'", topic("*Learning")),
        ("t'*Neural*...'", topic("*Neural*", below=True)),
        ("t'10'", topic("10")),
        (r"t'A \> B'", topic("A > B")),
        (r"t'Wait..\.'", topic("Wait...")),
    ],
)
def test_topics_are_named_by_name_path_or_pattern(line: str, tree: TopicTerm) -> None:
    assert parse_filter(line) == tree


# --- dates ---


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("d<7d", Age(Op.LESS, 7, Unit.DAY)),
        ("d7d", Age(Op.AT_MOST, 7, Unit.DAY)),
        ("d7", Age(Op.AT_MOST, 7, Unit.DAY)),
        ("d=7d", Age(Op.EQUAL, 7, Unit.DAY)),
        ("d>30min", Age(Op.MORE, 30, Unit.MINUTE)),
        ("d>=2h", Age(Op.AT_LEAST, 2, Unit.HOUR)),
        ("d<1w", Age(Op.LESS, 1, Unit.WEEK)),
        ("d<3mo", Age(Op.LESS, 3, Unit.MONTH)),
        ("d<1y", Age(Op.LESS, 1, Unit.YEAR)),
        ("d2025-01-31", DayTerm(Op.EQUAL, date(2025, 1, 31))),
        ("d=2025-01-31", DayTerm(Op.EQUAL, date(2025, 1, 31))),
        ("d>=25-01-31", DayTerm(Op.AT_LEAST, date(2025, 1, 31))),
        ("d24-02-29", DayTerm(Op.EQUAL, date(2024, 2, 29))),
    ],
)
def test_dates_are_ages_or_days(line: str, tree: Filter) -> None:
    assert parse_filter(line) == tree


def test_a_saved_filter_is_named_with_an_at_sign() -> None:
    assert parse_filter("@important s2") == And((Saved("important"), S2))
    assert parse_filter("!@my-Größe_2") == Not(Saved("my-Größe_2"))


# --- trees ---


def test_a_tree_is_joined_without_groups_in_groups_of_the_same_kind() -> None:
    assert all_of(B, all_of(S2, R3)) == And((B, S2, R3))
    assert any_of(any_of(B, S2), R3) == Or((B, S2, R3))
    assert all_of(B) == any_of(B) == B


@pytest.mark.parametrize("kind", [And, Or])
def test_a_tree_that_no_text_means_cannot_be_made(kind: type[And | Or]) -> None:
    with pytest.raises(ValueError, match="at least two terms"):
        kind((B,))
    with pytest.raises(ValueError, match="none of the same kind"):
        kind((B, kind((S2, R3))))
