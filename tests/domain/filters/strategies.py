"""Random filters and conversations, with so few names that filters match pairs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from random import Random
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from app.domain.conversation.conversation import Mark, Message, Pair, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, Part, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass, failure
from app.domain.filters.evaluation.scope import Chosen, FilterScope, Vocabulary
from app.domain.filters.language.predicates import MAX_NUMBER
from app.domain.filters.language.syntax import (
    Age,
    AgentTerm,
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
    Leaf,
    MarkTerm,
    ModelTerm,
    Not,
    Op,
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
from app.domain.text.pattern import Pattern
from app.domain.topics.topics import Topic, build_topic_tree

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Settings for properties: a busy machine must not make one fail."""

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)

TOPICS = build_topic_tree(
    [
        Topic("ai", "AI"),
        Topic("planning", "Planning", "ai"),
        Topic("deep", "Deep Learning", "planning"),
        Topic("work", "Work"),
        Topic("work-ai", "AI", "work"),
        Topic("work-planning", "Planning", "work-ai"),
        Topic("home", "Home"),
        Topic("home-machine", "Machine Learning", "home"),
        Topic("home-planning", "Planning", "home"),
    ]
)
MODELS = ("anthropic:claude-sonnet-4-5", "anthropic:claude-opus-5", "openai:gpt-5", "local:llama3:8b")
AGENTS = {"g1": "Reviewer", "g2": "Résumé writer", "g3": "reviewer"}
TOOLS = ("git_log", "git_diff", "search")
WORDS = ("mad", "Dog", "STRASSE", "straße", "É", "E\u0301", "100%", "a_b", "back\\slash", "İ", "it's", '"so"')


def patterns(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Pattern]:
    filled = texts.filter(bool)
    starred = st.tuples(texts, st.lists(filled, max_size=1), texts).map(lambda found: (found[0], *found[1], found[2]))
    return st.one_of(filled.map(lambda text: (text,)), starred).map(Pattern)


ANY_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6) | st.text(
    "a *\\'\"\n\t.>é", max_size=6
)
SAVED_NAMES = st.from_regex(r"[\w-]{1,8}", fullmatch=True)


def any_predicates(texts: st.SearchStrategy[str] = ANY_TEXT, largest: int = MAX_NUMBER) -> st.SearchStrategy[Leaf]:
    """Draw every kind of predicate except saved filters."""
    ops = st.sampled_from(Op)
    number = st.integers(0, largest)
    return st.one_of(
        st.builds(TopicTerm, st.lists(patterns(texts), min_size=1, max_size=3).map(tuple), st.booleans()),
        st.just(ChosenTopic()),
        st.builds(RecentOfTopic, st.integers(1, largest)),
        st.builds(Stars, ops, st.integers(0, 3)),
        st.builds(Recent, st.integers(1, largest)),
        st.builds(Flagged, st.booleans()),
        st.builds(MarkTerm, st.sampled_from(Mark)),
        st.builds(ModelTerm, st.none() | patterns(texts)),
        st.builds(Age, ops, number, st.sampled_from(Unit)),
        st.builds(DayTerm, ops, st.dates()),
        st.builds(Contains, patterns(texts)),
        st.just(AttachmentTerm()),
        st.just(FailedTerm()),
        st.builds(ToolCallTerm, st.none() | patterns(texts)),
        st.builds(TokensTerm, ops, number),
        st.builds(AgentTerm, st.none() | patterns(texts)),
        st.builds(InContext, number),
    )


def joined(leaves: st.SearchStrategy[Leaf], max_leaves: int = 12) -> st.SearchStrategy[Expression]:
    def grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(inner, min_size=2, max_size=4)
        return st.one_of(
            inner.map(Not), several.map(lambda terms: all_of(*terms)), several.map(lambda terms: any_of(*terms))
        )

    return st.recursive(leaves, grow, max_leaves=max_leaves)


FILTERS: st.SearchStrategy[Filter] = joined(any_predicates() | st.builds(Saved, SAVED_NAMES)) | st.just(Everything())
"""Draw any filter."""


# --- filters and conversations that share names ---


def _known(predicates: st.SearchStrategy[Leaf]) -> st.SearchStrategy[Leaf]:
    names = [name for path in TOPICS.paths.values() for name in path]
    pieces = st.sampled_from([*names, "*Learning", "P*", "*"])
    paths = st.sampled_from([("AI", "Planning"), ("Work", "AI"), ("Home", "Planning"), ("Planning", "Deep Learning")])
    path = pieces.map(lambda name: (name,)) | paths
    topics = st.builds(TopicTerm, path.map(lambda names: tuple(map(pattern, names))), st.booleans())
    models = st.sampled_from(["claude*", "gpt-5", "llama3:8b", "8b", "local:*", "OPENAI:GPT-5", "*5", "gpt"])
    return st.one_of(
        predicates,
        topics,
        st.builds(ModelTerm, models.map(pattern)),
        st.builds(AgentTerm, st.sampled_from(["reviewer", "R*", "résumé writer", "re\u0301sume\u0301*"]).map(pattern)),
        st.builds(ToolCallTerm, st.sampled_from(["git*", "search", "git_log", "*_*", "GIT*"]).map(pattern)),
        st.builds(Contains, st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map("*".join).map(pattern)),
        st.builds(DayTerm, st.sampled_from(Op), st.dates(date(2026, 3, 8), date(2026, 3, 12))),
        st.builds(Age, st.sampled_from(Op), st.integers(0, 4), st.sampled_from([Unit.HOUR, Unit.DAY])),
        st.builds(Recent, st.integers(1, 8)),
        st.builds(RecentOfTopic, st.integers(1, 4)),
        st.builds(InContext, st.integers(0, 3)),
    )


def pattern(text: str) -> Pattern:
    return Pattern(tuple(text.split("*")))


KNOWN_FILTERS: st.SearchStrategy[Filter] = joined(
    _known(any_predicates(st.sampled_from(WORDS), largest=9)), max_leaves=8
)
"""Filters over the names below."""

SCOPES = st.builds(
    FilterScope,
    st.just(NOW),
    st.sampled_from([UTC, ZoneInfo("America/New_York"), ZoneInfo("Pacific/Auckland"), timezone(timedelta(hours=-11))]),
    st.just(Vocabulary(TOPICS, MODELS, AGENTS, TOOLS)),
    st.builds(
        Chosen,
        st.none() | st.sampled_from(list(TOPICS.paths)),
        st.none() | st.sampled_from(MODELS),
        st.none() | st.sampled_from(list(AGENTS)),
    ),
)


def _a_pair(position: int, chance: Random) -> Pair:
    def parts(*kinds: Part) -> tuple[Part, ...]:
        return tuple(chance.sample(kinds, chance.randint(0, 3)))

    def words() -> Text:
        return Text(" ".join(chance.choices(WORDS, k=2)))

    image = Image("ab" * 32, "image/png")
    call = ToolCall("1", chance.choice(TOOLS), "{}", complete=True)
    result = ToolResult("1", (words(), image))
    asked = parts(words(), words(), image, File("cd" * 32, "text/plain", "notes.txt"))
    answered = parts(words(), words(), Thinking(chance.choice(WORDS)), call, result)
    return Pair(
        id=f"p{position:03}",
        conversation_id="c1",
        position=position,
        request=Message("u", Role.USER, asked, NOW),
        reply=Message("a", Role.ASSISTANT, answered, NOW) if chance.random() < 0.8 else None,
        model=chance.choice(MODELS),
        lifecycle=chance.choice(list(Lifecycle)),
        created_at=NOW - timedelta(hours=chance.randint(-3, 100)),
        updated_at=NOW,
        agent_id=chance.choice([None, *AGENTS]),
        topic=chance.choice([None, *TOPICS.paths]),
        stars=chance.randint(0, 3),
        flagged=chance.random() < 0.5,
        mark=chance.choice([None, *Mark]),
        failure=failure(ErrorClass.SERVER, "down") if chance.random() < 0.2 else None,
    )


POOL = [_a_pair(position, Random(position)) for position in range(1, 301)]
"""Pairs of every kind, made once: drawing from them is faster than drawing their fields."""

CONVERSATIONS = st.lists(st.sampled_from(POOL), unique_by=id, min_size=3, max_size=12).map(
    lambda pairs: sorted(pairs, key=lambda pair: pair.position)
)
"""Pairs, oldest first, with gaps where some were deleted."""


def estimate(pair: Pair) -> int:
    """Return an invented size in tokens, small enough to match the numbers in filters."""
    return pair.position % 7


def newest_that_fit(base: Sequence[Pair], budget: int = 9) -> set[str]:
    """Select pairs by a boundary like the real one: the newest pairs that fit, never failed ones."""
    included: set[str] = set()
    for pair in reversed(base):
        budget -= estimate(pair)
        if budget < 0:
            break
        if pair.lifecycle is not Lifecycle.ERROR:
            included.add(pair.id)
    return included
