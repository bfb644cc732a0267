from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.filters.bar.completion import MOST, complete_line
from app.domain.filters.evaluation.scope import Vocabulary
from app.domain.filters.language.parser import parse_filter, parse_line
from app.domain.filters.language.predicates import PREDICATES, STARTERS, Name
from app.domain.filters.language.syntax import AgentTerm, ModelTerm, ToolCallTerm, TopicTerm
from app.domain.text.pattern import Pattern
from app.domain.topics.topics import Topic, build_topic_tree
from tests.domain.filters.strategies import AGENTS, MODELS, TOOLS, TOPICS, patient

VOCABULARY = Vocabulary(TOPICS, MODELS, AGENTS, TOOLS, {"important": "s3", "new": "d1d"})
WORDS = [starter for starter, _ in STARTERS.values()]


def offered(line: str, vocabulary: Vocabulary = VOCABULARY) -> list[str]:
    """Return the complete lines after each suggestion at the place of `|` is inserted."""
    before, _, after = line.partition("|")
    completion = complete_line(before + after, len(before), vocabulary)
    whole = before + after
    return [whole[: completion.start] + each.text + whole[completion.end :] for each in completion.suggestions]


def test_every_predicate_is_offered_where_a_term_can_start() -> None:
    saved = ["@important", "@new"]

    assert offered("|") == [*WORDS, *saved]
    assert offered("b |") == [f"b {name}" for name in (*WORDS, *saved)]
    assert offered("b & (|") == [f"b & ({name}" for name in (*WORDS, *saved)]
    assert offered("!|")[:2] == ["!stars>=2", "!flagged"]


def test_the_first_offers_are_words_with_their_short_forms() -> None:
    suggestions = complete_line("", 0, Vocabulary()).suggestions

    assert set(STARTERS) == set(Name) == set(PREDICATES)
    assert [(each.text, each.means) for each in suggestions[:3]] == [
        ("stars>=2", "two or more stars · short: s>=2"),
        ("flagged", "pairs with a flag · short: b"),
        ("recent 5", "the last 5 pairs · short: r5"),
    ]
    for suggestion in suggestions:
        _, _, short = suggestion.means.partition(" · short: ")
        assert parse_filter(short or suggestion.text) == parse_filter(suggestion.text)


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("fl|", ["flagged"]),
        ("un|", ["unflagged"]),
        ("b mo|", ["b model"]),
        ("st| b", ["stars b"]),
        ("r|", ["r", "r10"]),
        ("s|", ["s", "s2", "s>=2", "s<1"]),
        ("date|", ["date", "date<7d", "date>2mo", "date7d", "date2025-01-31", "date>=25-01-31"]),
        ("zz|", []),
        ("s2|", []),
        ("(b)|", []),
        ("b \N{BULLET}|", []),
    ],
)
def test_a_word_is_completed_to_predicates_and_their_examples(line: str, lines: list[str]) -> None:
    assert offered(line) == lines


def test_a_suggestion_says_what_it_means() -> None:
    suggestions = complete_line("s", 1, VOCABULARY).suggestions

    assert suggestions[0].means == "pairs that have that number of stars"
    assert suggestions[2].means == "pairs with 2 or more stars"


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("t'|", ["t'AI'", "t'AI...'", "t'AI > Planning'"]),
        ("t'pl|", ["t'AI > Planning'", "t'AI > Planning...'", "t'AI > Planning > Deep Learning'"]),
        ("t'work>ai|", ["t'Work > AI'", "t'Work > AI...'", "t'Work > AI > Planning'"]),
        ("topic 'ho|", ["topic 'Home'", "topic 'Home...'", "topic 'Home > Machine Learning'"]),
        ("m'|", ["m'claude-sonnet-4-5'", "m'claude-opus-5'", "m'gpt-5'"]),
        ("b m'GPT| & s2", ["b m'gpt-5' & s2"]),
        ("a're|", ["a'Reviewer'", "a'reviewer'"]),
        ('a"ré|', ["a'Résumé writer'"]),
        ("k'diff|", ["k'git_diff'"]),
        ("k'git|_log'", ["k'git_log'", "k'git_diff'"]),
        ("k'git| c'x'", ["k'git_log' c'x'", "k'git_diff' c'x'"]),
        ("k'git|'", ["k'git_log'", "k'git_diff'"]),
        ("m|", ["m", "m'claude-sonnet-4-5'", "m'claude-opus-5'"]),
        ("k|", ["k", "k'git_log'", "k'git_diff'"]),
        ("c'|", []),
        ("'|", []),
        ("t'AI\\|", []),
    ],
)
def test_names_are_offered_in_quotes(line: str, lines: list[str]) -> None:
    assert offered(line)[:3] == lines


def test_names_that_start_with_what_is_typed_come_first() -> None:
    topics = build_topic_tree([Topic("1", "Deep AI"), Topic("2", "AI")])

    assert offered("t'ai|", Vocabulary(topics)) == ["t'AI'", "t'Deep AI'"]


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("@|", ["@important", "@new"]),
        ("b @im|", ["b @important"]),
        ("d<7|", ["d<7min", "d<7h", "d<7d", "d<7w", "d<7mo", "d<7y"]),
        ("date 3|", ["date 3min", "date 3h", "date 3d", "date 3w", "date 3mo", "date 3y"]),
        ("r7|", []),
    ],
)
def test_saved_filters_and_units_are_offered(line: str, lines: list[str]) -> None:
    assert offered(line) == lines


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (":|", [f":{name}" for name in ["export", "topic", "star", "flag", "unflag", "in", "out", "delete", "fork"]]),
        ("b :f|", ["b :flag", "b :fork"]),
        ("b :zz|", []),
        ("b :zz |", []),
        (":star |", [":star 0", ":star 1", ":star 2", ":star 3", ":star --dry-run"]),
        (":export h|", [":export html"]),
        (":export md |", [f":export md {flag}" for flag in ("--filename", "--order", "--dry-run")]),
        (":export --o|", [":export --order"]),
        (":export --order |", [":export --order time", ":export --order topic"]),
        (":export --order t|", [":export --order time", ":export --order topic"]),
        (":export --order=|", [":export --order=time", ":export --order=topic"]),
        (":export --filename |", []),
        (":delete --force |", [":delete --force --dry-run"]),
        (":topic 'wo|", [":topic 'Work'", ":topic 'Work > AI'", ":topic 'Work > AI > Planning'"]),
        (":export 'wo|", []),
    ],
)
def test_commands_their_choices_and_flags_are_offered(line: str, lines: list[str]) -> None:
    assert offered(line) == lines


def test_the_number_of_suggestions_is_limited() -> None:
    many = Vocabulary(tools=tuple(f"tool_{n}" for n in range(1_000)))

    assert len(offered("k'|", many)) == MOST


NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@patient
@given(NAMES, NAMES)
def test_any_name_offered_is_read_back_as_that_name(name: str, parent: str) -> None:
    name, parent = name.strip(), parent.strip()
    topics = build_topic_tree([Topic("1", parent), Topic("2", name, "1")])
    vocabulary = Vocabulary(topics, (f"local:{name}",), {"g": name}, (name,))

    exactly = Pattern((name,))
    assert [tree for tree in map(parse_filter, offered("t'|", vocabulary)) if tree == _path(parent, name)]
    assert parse_filter(offered("m'|", vocabulary)[0]) == ModelTerm(exactly)
    assert parse_filter(offered("a'|", vocabulary)[0]) == AgentTerm(exactly)
    assert parse_filter(offered("k'|", vocabulary)[0]) == ToolCallTerm(exactly)


def _path(*names: str) -> TopicTerm:
    return TopicTerm(tuple(Pattern((name,)) for name in names))


@patient
@given(st.text("st'\"\\ >:&|(!@d7-=*é\n"), st.integers(0, 20))
def test_completion_offers_something_or_nothing_but_never_fails(line: str, cursor: int) -> None:
    completion = complete_line(line, cursor, VOCABULARY)

    assert 0 <= completion.start <= completion.end <= len(line)


def test_what_is_offered_for_an_empty_line_can_be_typed_on() -> None:
    for line in offered("t|")[4:]:
        parse_line(line)
