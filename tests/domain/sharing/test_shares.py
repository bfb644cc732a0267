from __future__ import annotations

import pytest

from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult
from app.domain.errors import InputError
from app.domain.sharing.shares import (
    MAX_HOURS,
    ShareChoice,
    count_secrets,
    hash_token,
    require_choice,
    require_hours,
    shared_parts,
    shared_title,
)
from tests.builders import a_pair

KEY = "AKIAIOSFODNN7EXAMPLE"
MARK = "[redacted: AWS access key]"
PARTS: tuple[Part, ...] = (
    Text(f"Take {KEY}."),
    Thinking(f"They gave me {KEY}."),
    Thinking("", "sealed", "anthropic", redacted=True),
    ToolCall("t1", "read", f'{{"key": "{KEY}"}}', complete=True),
    ToolResult("t1", (Text(KEY), Image("a" * 64, "image/png"))),
    TextFile("/home/ada/secret plans/keys.txt", KEY),
    File("b" * 64, "application/pdf", r"C:\Users\ada\plan.pdf"),
)


def test_only_what_is_said_is_shared_unless_more_is_chosen() -> None:
    assert shared_parts(PARTS, ShareChoice()) == (
        Text(f"Take {MARK}."),
        TextFile("keys.txt", MARK),
        File("b" * 64, "application/pdf", "plan.pdf"),
    )


def test_chosen_thinking_and_calls_are_shared_without_secrets_and_without_sealed_thinking() -> None:
    shared = shared_parts(PARTS, ShareChoice(thinking=True, tools=True))

    assert KEY not in repr(shared)
    assert [type(part) for part in shared] == [Text, Thinking, ToolCall, ToolResult, TextFile, File]
    assert shared[3] == ToolResult("t1", (Text(MARK), Image("a" * 64, "image/png")))


def test_secrets_are_counted_where_they_are_shared() -> None:
    pair = a_pair(KEY, PARTS)

    assert count_secrets(pair, ShareChoice()) == 3
    assert count_secrets(pair, ShareChoice(thinking=True, tools=True)) == 6
    assert shared_title(f"On {KEY}") == f"On {MARK}"


@pytest.mark.parametrize("author", ["two\nlines", "a\0b", "\ud800", "x" * 101])
def test_a_name_that_could_not_stand_on_a_page_is_refused(author: str) -> None:
    with pytest.raises(InputError) as raised:
        require_choice(ShareChoice(author=author))
    assert raised.value.field == "author"


@pytest.mark.parametrize("hours", [0, -1, MAX_HOURS + 1])
def test_a_link_has_an_end_within_a_year(hours: int) -> None:
    with pytest.raises(InputError):
        require_hours(hours)
    require_hours(1)
    require_hours(MAX_HOURS)


def test_the_hash_of_a_token_is_another_for_each() -> None:
    assert len({hash_token(token) for token in ("a", "b", "")}) == 3
