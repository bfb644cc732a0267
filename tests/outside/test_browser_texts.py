"""JSON texts that a browser stores or passes on, within an event: each reader ends in its value for nothing.

The limit for the values of a message counts such a text as one value, so its reader has a limit as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from app.domain.errors import InputError
from app.state.agents.fields import LINE, read_submitted
from app.state.agents.listing import list_imported
from app.state.compare.choice import read_remembered as read_compared
from app.state.composer.files import read_answer
from app.state.composer.schema import lay_out
from app.state.filters.kept_topics import read_kept
from app.state.reply.edit import read_edit
from app.state.tab.inputs import MAX_JSON
from app.web.sockets import MAX_MESSAGE
from tests.outside.attacks import DEEP, WRONG
from tests.outside.memory import Memory

MOST_MB: Final = 64
TEXTS: Final[dict[str, Any]] = {
    **{f"deep: {name}": body.decode() for name, body in DEEP.items()},
    **{f"wrong: {name}": body.decode() for name, body in WRONG.items()},
    "deep, and short": "[" * 5_000 + "]" * 5_000,
    "wide": "[" + "[]," * (MAX_MESSAGE // 3 - 10) + "[]]",
    "wide, in fields": '{"items":[' + "{}," * (MAX_MESSAGE // 3 - 10) + "{}]}",
    "digits": "1" * 4_000,
    "a long text": '"' + "x" * (MAX_MESSAGE - 10) + '"',
    "half a character": '{"a":"\\ud800"}',
    "no text": 7,
}


def read_imported(text: Any) -> str:
    try:
        return list_imported(text)
    except InputError as error:
        return error.field


def read_line(text: Any) -> str:
    form = {"name": "A", f"{LINE}1:tool": "read", f"{LINE}1:arguments": text}
    submitted = read_submitted(form)
    return "refused" if submitted.fields is None and submitted.errors.tools else "accepted"


READERS: Final[dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]]] = {
    "the edit": (read_edit, (None,)),
    "the topics": (lambda text: read_kept(text, "c1"), ("",)),
    "the compared models": (read_compared, ((), ("text",))),
    "the answers to an import": (read_imported, ("file", "")),
    "the answer to an upload": (
        lambda text: read_answer(201, text),
        (("", "The upload failed. Check the connection, then attach it again."),),
    ),
    "the patterns of an agent's tool": (read_line, ("refused", "accepted")),
}


@pytest.mark.parametrize("name", READERS)
def test_a_text_that_is_no_input_is_read_as_nothing(name: str) -> None:
    read, nothing = READERS[name]
    for attack, text in TEXTS.items():
        memory = Memory.now()
        assert read(text) in nothing, attack
        assert memory.growth() <= MOST_MB, attack


@pytest.mark.parametrize(
    "attack", [name for name, text in TEXTS.items() if isinstance(text, str) and len(text) <= MAX_JSON]
)
def test_a_schema_of_a_draft_that_cannot_be_laid_out_is_shown_as_it_is(attack: str) -> None:
    assert isinstance(lay_out(TEXTS[attack]), str)
