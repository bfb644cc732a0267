"""The pairs that each predicate selects, on conversations small enough to check by eye."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.domain.conversation.conversation import Mark, Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass, failure
from app.domain.filters.bar.notices import list_notices
from app.domain.filters.evaluation.scope import Chosen, FilterScope, Vocabulary
from app.domain.filters.evaluation.selection import select_pairs
from app.domain.filters.language.parser import parse_filter
from tests.builders import a_pair
from tests.domain.filters.strategies import AGENTS, MODELS, NOW, TOOLS, TOPICS

SCOPE = FilterScope(NOW, UTC, Vocabulary(TOPICS, MODELS, AGENTS, TOOLS))


def pairs_with(field: str, values: Sequence[object]) -> list[Pair]:
    return [replace(a_pair(position=n), **{field: value}) for n, value in enumerate(values, start=1)]


def selected(
    line: str, pairs: Sequence[Pair], scope: FilterScope = SCOPE, included: set[str] | None = None
) -> list[int]:
    everything = {pair.id for pair in pairs} if included is None else included
    found = select_pairs(parse_filter(line), pairs, scope, len_of_request, lambda base: everything & ids(base))
    return [pair.position for pair in found.visible]


def ids(pairs: Sequence[Pair]) -> set[str]:
    return {pair.id for pair in pairs}


def len_of_request(pair: Pair) -> int:
    part = pair.request.parts[0]
    return len(part.text) if isinstance(part, Text) else 0


# --- plain attributes ---


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("s2", [3]),
        ("s=2", [3]),
        ("s>=2", [3, 4]),
        ("s>2", [4]),
        ("s<1", [1]),
        ("s<=1", [1, 2]),
        ("!s2", [1, 2, 4]),
        ("s1 | s3", [2, 4]),
        ("s>0 s<3", [2, 3]),
        ("", [1, 2, 3, 4]),
    ],
)
def test_stars_compare(line: str, expected: list[int]) -> None:
    assert selected(line, pairs_with("stars", [0, 1, 2, 3])) == expected


def test_flagged_and_unflagged_are_opposites() -> None:
    pairs = pairs_with("flagged", [True, False])

    assert selected("b", pairs) == selected("!g", pairs) == [1]
    assert selected("g", pairs) == selected("!b", pairs) == [2]


def test_marks_are_plain_attributes() -> None:
    pairs = pairs_with("mark", [Mark.IN, Mark.OUT, None])

    assert selected("in", pairs) == [1]
    assert selected("!out", pairs) == [1, 3]
    assert selected("", pairs) == [1, 2, 3]


def test_errors_are_pairs_that_ended_in_one_or_carry_one() -> None:
    failed = failure(ErrorClass.RATE, "slow down")
    pairs = [
        a_pair(position=1, lifecycle=Lifecycle.ERROR, failure=failed),
        a_pair(position=2, lifecycle=Lifecycle.CANCELED, failure=failed),
        a_pair(position=3, lifecycle=Lifecycle.CANCELED),
    ]

    assert selected("e", pairs) == [1, 2]


def test_tokens_compare_with_the_estimate() -> None:
    pairs = [a_pair("x" * n, position=n) for n in (1, 2, 3)]

    assert selected("u>2", pairs) == [3]
    assert selected("u2", pairs) == [2]


# --- names ---


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("m'claude*'", [1, 2]),
        ("m'CLAUDE-opus-5'", [2]),
        ("m'claude'", []),
        ("m'gpt-5'", [3]),
        ("m'openai:*'", [3]),
        ("m'llama3:8b'", [4]),
        ("m'8b'", []),
        ("m", [3]),
        ("!m", [1, 2, 4]),
    ],
)
def test_models_match_by_their_whole_name_with_or_without_provider(line: str, expected: list[int]) -> None:
    scope = replace(SCOPE, chosen=Chosen(model="openai:gpt-5"))

    assert selected(line, pairs_with("model", MODELS), scope) == expected


@pytest.mark.parametrize(
    ("line", "expected"), [("a'Reviewer'", [1, 3]), ("a're*'", [1, 3]), ("a'Rev'", []), ("a", [2])]
)
def test_agents_match_by_name_and_the_chosen_one_by_identity(line: str, expected: list[int]) -> None:
    scope = replace(SCOPE, chosen=Chosen(agent="g2"))

    assert selected(line, pairs_with("agent_id", ["g1", "g2", "g3", None]), scope) == expected


@pytest.mark.parametrize(
    ("line", "expected"), [("k", [1, 2]), ("k'git*'", [1]), ("k'git'", []), ("k'SEARCH'", [2]), ("!k", [3])]
)
def test_tools_match_by_name(line: str, expected: list[int]) -> None:
    pairs = [
        a_pair(reply=(ToolCall("1", "git_log"), ToolCall("2", "git_diff")), position=1),
        a_pair(reply=(ToolCall("1", "search"),), position=2),
        a_pair(reply="git", position=3),
    ]

    assert selected(line, pairs) == expected


def test_images_and_files_count_in_request_and_reply_but_not_in_tool_results() -> None:
    image = Image("ab" * 32, "image/png")
    pairs = [
        a_pair((Text("look"), image), position=1),
        a_pair((File("cd" * 32, "text/csv", "a.csv"),), position=2),
        a_pair(reply=(image,), position=3),
        a_pair(reply=(ToolResult("1", (image,)),), position=4),
    ]

    assert selected("i", pairs) == [1, 2, 3]


# --- text ---


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("c'mad dog'", [1]),
        ("c'MAD'", [1, 2]),
        ("c'mad*d'", [1, 2]),
        ("c'dog*mad'", []),
        ("c'ask*answer'", [3]),
        ("c'askanswer'", []),
        ("c'straße'", [4]),
        ("c'STRASSE'", [4]),
        ("c'e\u0301t\u00e9'", [4]),
        ("c'secret'", []),
        ("c'100%'", [5]),
        ("c'a_b'", [5]),
        (r"c'2 \* 3'", [5]),
        ("c'*'", [1, 2, 3, 4, 5, 6]),
    ],
)
def test_text_is_sought_in_request_and_reply_without_case(line: str, expected: list[int]) -> None:
    pairs = [
        a_pair("a Mad Dog", position=1),
        a_pair("madness", "and dust", position=2),
        a_pair("ask", "answer", position=3),
        a_pair("STRASSE", "\u00c9te\u0301", position=4),
        a_pair("100% a_b 2 * 3", "axb 2 x 3", position=5),
        a_pair("x", (Thinking("secret"), ToolResult("1", (Text("secret"),))), position=6),
    ]

    assert selected(line, pairs) == expected


# --- recent ---


def test_recent_counts_in_the_whole_conversation_whatever_else_is_filtered() -> None:
    pairs = pairs_with("stars", [3, 3, 0, 3, 0])

    assert selected("r2", pairs) == [4, 5]
    assert selected("r2 s3", pairs) == selected("s3 r2", pairs) == [4]
    assert selected("s3 !r2", pairs) == [1, 2]
    assert selected("!r2", pairs) == [1, 2, 3]
    assert selected("r99", pairs) == [1, 2, 3, 4, 5]


def test_recent_counts_pairs_and_not_positions() -> None:
    assert selected("r2", [a_pair(position=n) for n in (1, 5, 30)]) == [5, 30]


# --- topics ---

IN_TOPICS = pairs_with("topic", [*TOPICS.paths, None])
NAMES = dict(enumerate(TOPICS.paths, start=1))


@pytest.mark.parametrize(
    ("line", "topics"),
    [
        ("t'AI'", ["ai", "work-ai"]),
        ("t'ai'", ["ai", "work-ai"]),
        ("t'AI...'", ["ai", "planning", "deep", "work-ai", "work-planning"]),
        ("t'AI > Planning'", ["planning"]),
        ("t'AI > Planning ...'", ["planning", "deep"]),
        ("t'Work > AI'", ["work-ai"]),
        ("t'Work > AI > Planning'", ["work-planning"]),
        ("t'Planning > Deep Learning'", ["deep"]),
        ("t'*Learning'", ["deep", "home-machine"]),
        ("t'* > *Learning'", ["deep", "home-machine"]),
        ("t'Home > *'", ["home-machine", "home-planning"]),
        ("t'*'", list(TOPICS.paths)),
        ("t'Learning'", []),
        ("t'Unknown...'", []),
        ("t'Work > Planning'", []),
        ("t", ["planning"]),
        ("t2", ["planning", "deep"]),
        ("t1", ["deep"]),
    ],
)
def test_topics_are_found_by_name_path_pattern_or_choice(line: str, topics: list[str]) -> None:
    scope = replace(SCOPE, chosen=Chosen(topic="planning"))

    assert [NAMES[position] for position in selected(line, IN_TOPICS, scope)] == topics


def test_a_pair_without_topic_is_under_none() -> None:
    assert selected("!t'*'", IN_TOPICS) == [len(IN_TOPICS)]


def test_an_ambiguous_end_of_paths_selects_nothing_and_the_bar_reports_it() -> None:
    tree = parse_filter("t'AI > Planning'")
    from_root = {topic: path for topic, path in TOPICS.paths.items() if topic != "planning"}
    doubled = {**from_root, "x": ("Play", "AI", "Planning")}
    scope = replace(SCOPE, vocabulary=replace(SCOPE.vocabulary, topics=replace(TOPICS, paths=doubled)))

    assert selected("t'AI > Planning'", IN_TOPICS, scope) == []
    assert list_notices(tree, scope) == (
        "'AI > Planning' can mean Work > AI > Planning or Play > AI > Planning. Write more of the path.",
    )


@pytest.mark.parametrize(
    ("line", "notice"),
    [
        ("t'Unknown'", "There is no topic 'Unknown'."),
        ("b | !t'AI > Unknown...'", "There is no topic 'AI > Unknown...'."),
        ("t", "No topic is chosen in the message box."),
        ("t3", "No topic is chosen in the message box."),
        ("m", "No model is chosen in the message box."),
        ("m'gpt'", "No pair here was answered by a model named 'gpt'."),
        ("a", "No agent is chosen in the message box."),
        ("a'Nobody'", "There is no agent 'Nobody'."),
        ("k'git'", "No pair here called a tool named 'git'."),
    ],
)
def test_an_unknown_name_selects_nothing_and_the_bar_reports_it(line: str, notice: str) -> None:
    assert list_notices(parse_filter(line), SCOPE) == (notice,)
    assert line.startswith("b") or selected(line, IN_TOPICS) == []


def test_names_that_mean_something_are_no_notice() -> None:
    scope = replace(SCOPE, chosen=Chosen("ai", MODELS[0], "g1"))

    assert list_notices(parse_filter("t'AI' t t5 m m'gpt*' a a'rev*' k k'git*' s2 @x"), scope) == ()


# --- dates ---


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("d<7d", [3, 4]),
        ("d7d", [2, 3, 4]),
        ("d<=1w", [2, 3, 4]),
        ("d=7d", [2]),
        ("d>=7d", [1, 2]),
        ("d>168h", [1]),
        ("d<10080min", [3, 4]),
        ("d<1mo", [1, 2, 3, 4]),
        ("d<999999999y", [1, 2, 3, 4]),
        ("d>999999999y", []),
    ],
)
def test_ages_count_back_from_now(line: str, expected: list[int]) -> None:
    week = timedelta(days=7)
    moments = [NOW - week - timedelta(seconds=1), NOW - week, NOW - week + timedelta(seconds=1), NOW]

    assert selected(line, pairs_with("created_at", moments)) == expected


@pytest.mark.parametrize(("unit", "days"), [("d", 1), ("w", 7), ("mo", 30), ("y", 365)])
def test_a_month_is_thirty_days_and_a_year_365(unit: str, days: int) -> None:
    age = timedelta(days=2 * days)
    pairs = pairs_with("created_at", [NOW - age - timedelta(seconds=1), NOW - age])

    assert selected(f"d2{unit}", pairs) == [2]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("d2025-01-31", [2, 3]),
        ("d<2025-01-31", [1]),
        ("d<=2025-01-31", [1, 2, 3]),
        ("d>2025-01-31", [4]),
        ("d>=25-01-31", [2, 3, 4]),
        ("!d2025-01-31", [1, 4]),
        ("d<=9999-12-31", [1, 2, 3, 4]),
        ("d<0001-01-01", []),
    ],
)
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Apia", "UTC"])
def test_days_start_and_end_in_the_readers_time_zone(line: str, expected: list[int], zone: str) -> None:
    start = datetime(2025, 1, 31, tzinfo=ZoneInfo(zone))
    end = datetime(2025, 2, 1, tzinfo=ZoneInfo(zone))
    moments = [start - timedelta(microseconds=1), start, end - timedelta(microseconds=1), end]

    pairs = pairs_with("created_at", [moment.astimezone(UTC) for moment in moments])

    assert selected(line, pairs, replace(SCOPE, zone=ZoneInfo(zone))) == expected


def test_a_day_whose_midnight_the_clocks_skip_starts_when_they_jump() -> None:
    jump = datetime(2018, 11, 4, 3, tzinfo=UTC)  # 00:00 became 01:00 in São Paulo
    pairs = pairs_with("created_at", [jump - timedelta(seconds=1), jump, jump + timedelta(hours=23)])

    assert selected("d2018-11-04", pairs, replace(SCOPE, zone=ZoneInfo("America/Sao_Paulo"))) == [2]


# --- the boundary ---

FIVE = pairs_with("stars", [3, 0, 3, 0, 3])
NEWEST_TWO = {"p4", "p5"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("o", [4, 5]),
        ("o0", [4, 5]),
        ("o2", [2, 3, 4, 5]),
        ("o99", [1, 2, 3, 4, 5]),
        ("!o", [1, 2, 3]),
        ("!o1", [1, 2]),
        ("!o99", []),
        ("s3 o", [5]),
        ("s3 !o", [1, 3]),
        ("s3 o1", [3, 5]),
        ("(s3 o) | r2", [4, 5]),
        ("(s3 & o) | s0", [2, 4, 5]),
        ("!(s3 o)", [2, 4]),
        ("o | s3", [1, 3, 5]),
    ],
)
def test_the_boundary_is_decided_on_the_filter_without_o(line: str, expected: list[int]) -> None:
    assert selected(line, FIVE, included=NEWEST_TWO) == expected


def test_recent_counts_in_the_whole_conversation_also_with_o() -> None:
    assert selected("s3 !(o r2)", FIVE, included={"p1", "p3"}) == [1, 3]


@pytest.mark.parametrize(
    ("line", "base"),
    [
        ("o", [1, 2, 3, 4, 5]),
        ("!o3", [1, 2, 3, 4, 5]),
        ("s3 o", [1, 3, 5]),
        ("s3 | o", [1, 3, 5]),
        ("(s3 o) | r2", [1, 3, 4, 5]),
        ("!(s3 !(o | o1))", [2, 4]),
        ("r2 (o | !o)", [4, 5]),
        ("s3", [1, 3, 5]),
    ],
)
def test_the_boundary_sees_the_base_set_once_oldest_first(line: str, base: list[int]) -> None:
    seen: list[list[int]] = []

    def boundary(pairs: Sequence[Pair]) -> set[str]:
        seen.append([pair.position for pair in pairs])
        return set()

    select_pairs(parse_filter(line), FIVE, SCOPE, len_of_request, boundary)

    assert seen == [base]


def test_a_saved_filter_has_to_be_expanded_before_it_selects() -> None:
    with pytest.raises(ValueError, match="@good must be expanded"):
        selected("@good", FIVE)


def test_pairs_that_o_brings_back_are_visible_and_not_included() -> None:
    found = select_pairs(parse_filter("o2"), FIVE, SCOPE, len_of_request, lambda _: NEWEST_TWO)

    assert [pair.id for pair in found.visible if pair.id not in found.included] == ["p2", "p3"]
    assert found.included == NEWEST_TWO
