"""Large conversations, and many of them, for the measurements of growth: written directly, with dependent rows.

The stored sizes are those that counting would find: each pair has one of a few thousand texts, each counted once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import orjson

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.text.pattern import fold
from app.providers.counts.vocabularies import counter, vocabulary_of
from app.runs.runtime.owner import LOCAL_OWNER

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
MODEL = "offline:demo"
BODIES = 2_000
WORDS_EACH = 120
RARE = {"garden": 7, "bread": 11, "lantern": 5_000}
"""Words by frequency: a word is in one of this number of pairs."""
BATCH = 5_000


def enter_pairs(database: Path, conversation_id: str, count: int) -> None:
    """Store `count` succeeded pairs in a conversation."""
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        _enter(connection, ((conversation_id, position, position) for position in range(1, count + 1)))
        connection.execute("UPDATE conversation SET revision = 1 WHERE id = ?", (conversation_id,))
    connection.close()


def enter_conversations(database: Path, first: int, count: int, pairs_each: int) -> None:
    """Store `count` conversations with `pairs_each` pairs each. Those before `first` exist already."""
    at = _written(BEGIN)
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        names = [f"g{number:025}" for number in range(first, first + count)]
        connection.executemany(
            "INSERT INTO conversation (id, owner, created_at, updated_at, title, kind, status, system_prompt, filter, "
            "tool_mode, temporary, revision, titled_by_model, ticked_tools) "
            "VALUES (?, ?, ?, ?, ?, 'agent', 'active', '', '', 'cached', 0, 1, 0, '[]')",
            [(name, LOCAL_OWNER, at, at, f"Conversation {name[-6:]}") for name in names],
        )
        places = ((name, position) for name in names for position in range(1, pairs_each + 1))
        _enter(connection, ((*place, number) for number, place in enumerate(places, first * pairs_each)))
    connection.close()


def _enter(connection: sqlite3.Connection, places: Iterable[tuple[str, int, int]]) -> None:
    vocabulary = vocabulary_of(MODEL)
    pending: list[tuple[str, int, int]] = []
    for place in places:
        pending.append(place)
        if len(pending) == BATCH:
            _enter_some(connection, pending, vocabulary)
            pending.clear()
    _enter_some(connection, pending, vocabulary)


def _enter_some(connection: sqlite3.Connection, places: list[tuple[str, int, int]], vocabulary: str) -> None:
    pairs: list[tuple[Any, ...]] = []
    messages: list[tuple[Any, ...]] = []
    texts: list[tuple[Any, ...]] = []
    sizes: list[tuple[Any, ...]] = []
    for conversation_id, position, number in places:
        name, at = f"{conversation_id}{position:07}", _written(BEGIN + timedelta(minutes=position))
        asked, answer, tokens = make_words(number)
        ids = (f"{name}q", f"{name}a")
        pairs.append((name, LOCAL_OWNER, conversation_id, position, *ids, MODEL, Lifecycle.SUCCEEDED, at, at))
        for message_id, role, text in zip(ids, ("user", "assistant"), (asked, answer), strict=True):
            parts = orjson.dumps([{"type": "text", "text": text}]).decode()
            messages.append((message_id, LOCAL_OWNER, conversation_id, name, role, parts, at))
        texts.append((name, conversation_id, *ids, fold(f"{asked}\n{answer}")))
        sizes.append((name, vocabulary, conversation_id, *ids, tokens))
    connection.executemany(
        "INSERT INTO pair (id, owner, conversation_id, position, revision, request_id, reply_id, model, parameters, "
        "lifecycle, stars, flagged, created_at, updated_at) VALUES (?, ?, ?, ?, 1, ?, ?, ?, '{}', ?, 0, 0, ?, ?)",
        pairs,
    )
    connection.executemany(
        "INSERT INTO message (id, owner, conversation_id, pair_id, role, parts, created_at) VALUES (?,?,?,?,?,?,?)",
        messages,
    )
    connection.executemany(
        "INSERT INTO pair_text (pair_id, conversation_id, request_id, reply_id, attachment, blank, tools, "
        "searched_text) VALUES (?, ?, ?, ?, 0, 0, '[]', ?)",
        texts,
    )
    connection.executemany(
        "INSERT INTO pair_size (pair_id, vocabulary, conversation_id, request_id, reply_id, text, messages, thinking, "
        "images) VALUES (?, ?, ?, ?, ?, ?, 2, 0, '[]')",
        sizes,
    )


def make_words(number: int) -> tuple[str, str, int]:
    """Return request and reply of a pair, and their number of tokens, close enough for this benchmark."""
    body, tokens = _bodies()[number % BODIES]
    rare = " ".join(word for word, every in RARE.items() if number % every == 0)
    return f"Question {number}: what of {rare or 'this'}?", f"{body} {rare}", tokens + 12


@cache
def _bodies() -> tuple[tuple[str, int], ...]:
    random, count = Random(1), counter(vocabulary_of(MODEL))
    syllables = ("ka", "lo", "mi", "ten", "sur", "va", "pel", "dro", "quin", "ash", "bel", "or")
    words = ["".join(random.choices(syllables, k=random.randint(2, 4))) for _ in range(20_000)]
    weights = [1 / place for place in range(1, len(words) + 1)]
    bodies = (" ".join(random.choices(words, weights, k=WORDS_EACH)) for _ in range(BODIES))
    return tuple((body, count(body)) for body in bodies)


def _written(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")
