"""The part of a tool's result that a model gets."""

from __future__ import annotations

import pytest

from app.domain.conversation.parts import Text
from app.domain.privacy.redaction import redact_text
from app.domain.tools.tool_results import LEAST_CHARACTERS, cut_result

KEY = "AKIAIOSFODNN7EXAMPLE"
BLOCK = "-----BEGIN PRIVATE KEY-----\n" + f"{'A' * 64}\n" * 20 + "-----END PRIVATE KEY-----"


@pytest.mark.parametrize("before", range(LEAST_CHARACTERS - 30, LEAST_CHARACTERS + 5, 5))
@pytest.mark.parametrize("secret", [KEY, BLOCK], ids=["key", "block"])
def test_result_is_not_cut_in_the_middle_of_a_secret(before: int, secret: str) -> None:
    result = (Text("x" * (before - 1) + " "), Text(f"{secret} {'y' * 2_000}"))

    words = "".join(piece.text for piece in cut_result(result, 0) if isinstance(piece, Text))

    redacted = redact_text(words).text
    assert "AKIA" not in redacted
    assert "BEGIN" not in redacted
    assert f"of {sum(len(piece.text) for piece in result):,} characters were given" in redacted


def test_nothing_follows_a_piece_that_was_cut() -> None:
    result = Text("x" * (LEAST_CHARACTERS - 5) + f" {KEY}"), Text("later")

    first, note = cut_result(result, 0)

    assert isinstance(first, Text)
    assert isinstance(note, Text)
    assert first.text == "x" * (LEAST_CHARACTERS - 5) + " "
    assert "[Cut here: 996 of 1,021 characters were given." in note.text
