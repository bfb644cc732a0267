"""Invisible characters: all of Unicode's are known, and texts of servers and arguments are shown without them."""

from __future__ import annotations

import json
import sys
from unicodedata import category

import pytest

from app.domain.text.invisible import INVISIBLE, escape_invisible, strip_invisible, strip_invisible_in_lines
from app.domain.tools.tool_servers import ListedTool, Listing, list_server_tools

EVERY = [chr(point) for point in range(sys.maxunicode + 1)]


def test_every_control_format_and_separating_character_is_known() -> None:
    unseen = [one for one in EVERY if category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]

    assert [one for one in unseen if not INVISIBLE.fullmatch(one)] == []
    assert all(category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"} for one in EVERY if INVISIBLE.fullmatch(one))


def test_escapes_say_the_same_in_json() -> None:
    for one in EVERY:
        if INVISIBLE.fullmatch(one) and one not in "\n\t":
            assert json.loads(f'"{escape_invisible(one)}"') == one


@pytest.mark.parametrize(
    ("text", "line", "lines"),
    [
        ("Read\u202e elif", "Read elif", "Read elif"),
        ("Read\r\n\tfile\x1b[31m", "Read file[31m", "Read\n\tfile[31m"),
        ("\u2066\u200b\ufeff", "", ""),
        ("\U000e0041\U000e0042Delete", "Delete", "Delete"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", None),
    ],
)
def test_texts_lose_invisible_characters(text: str, line: str, lines: str | None) -> None:
    assert strip_invisible(text) == line
    assert strip_invisible_in_lines(text) == (line if lines is None else lines)


def test_a_tool_is_shown_without_them_and_one_with_such_a_name_is_none() -> None:
    listed = (
        ListedTool("read", "Read\u202e file", "Reads.\nNever\u2066 deletes.\x07", "{}", read_only=True),
        ListedTool("wri\u200bte", "Write", "Writes.", "{}", read_only=False),
    )

    (tool,) = list_server_tools("s1", "files", Listing(tools=listed))

    assert (tool.title, tool.description) == ("Read file", "Reads.\nNever deletes.")
