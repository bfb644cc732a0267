"""The page describes damage in plain words, without ids or names of types."""

from __future__ import annotations

import pytest

from app.domain.conversation.damage import Damage


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (
            Damage("message", "m1", "parts", "it is not UTF-8", 17),
            "A message (parts): This text is not stored as text (17 bytes of binary data).",
        ),
        (
            Damage("conversation", "c1", "title", "it is bytes, not str", 1),
            "Title: This text is not stored as text (1 byte of binary data).",
        ),
        (
            Damage("conversation", "c1", "system_prompt", "it is missing, not str", 0),
            "System prompt: Nothing is stored here.",
        ),
        (
            Damage("message", "m1", "parts", "it is not valid JSON (unexpected end of data)", 29),
            "A message (parts): The stored data is garbled or incomplete (29 bytes).",
        ),
        (
            Damage("pair", "p1", "stars", "it is str, not int", 7),
            "The pair (stars): The stored data is not a number (7 bytes).",
        ),
        (
            Damage("pair", "p1", "flagged", "it is str, not bool", 7),
            "The pair (flagged): The stored data is neither yes nor no (7 bytes).",
        ),
        (
            Damage("run", "r1", "usage", "KeyError('x')", 1_024),
            "The record of the reply (usage): This version of Inview cannot read the stored data (1,024 bytes).",
        ),
        (
            Damage("attachment", "a1", "data", "its message refers to it, but it is missing", None),
            "An attached file: It is missing from the database.",
        ),
        (
            Damage("attachment", "a1", "data", "it has 1 of 5 bytes", None),
            ("An attached file: Only 1 of 5 bytes are stored."),
        ),
    ],
)
def test_line_of_each_kind_of_damage_is_plain(damage: Damage, line: str) -> None:
    assert damage.line == line
