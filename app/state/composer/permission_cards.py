"""Permission requests as cards: the call with its arguments, and the possible answers.

>>> write_pattern("/notes/*"), write_pattern(3), write_pattern(["a"])
('/notes/[*]', '3', '*')
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from app.domain.errors import InputError
from app.domain.privacy.invisible import escape_invisible
from app.domain.tools.arguments import read_arguments
from app.language.faults import translate_fault
from app.language.translation import translate
from app.runs.tools.permission_commands import WrongArgumentsError
from app.state.address import conversation_path
from app.views.screen.panels import PermissionItemView, ScreenComparisonView

_INPUT: Final = "input"
_ARGUMENTS: Final = "arguments"
_MAX_ROWS: Final = 14


@dataclass(frozen=True)
class BoundView:
    """A pattern that an argument has to fit for a rule to hold."""

    name: str
    pattern: str


@dataclass(frozen=True)
class PermissionCard:
    """A call that waits until a moment (ISO; `now` is the server's clock as this was made).

    `by` is the compared model that calls, "" for any other; `agent` the agent that does, "" without one; `delegated`
    the path of the conversation in which an agent does, "" if it is the one on screen. `place` is "1 of 2" where
    several wait. `arguments` are to be read, `text` to be edited while `editing`, in so many
    `rows`; `bounds` are what a rule could be bound to while `bounding`.
    It `leads` where who answers by keyboard goes on.
    """

    id: str
    run_id: str
    name: str
    by: str
    agent: str
    delegated: str
    place: str
    description: str
    arguments: str
    text: str
    rows: int
    bounds: tuple[BoundView, ...]
    until: str
    now: str
    editing: bool = False
    bounding: bool = False
    faults: tuple[str, ...] = ()
    leads: bool = False


def list_cards(
    waiting: tuple[PermissionItemView, ...], comparison: ScreenComparisonView | None, now: datetime
) -> tuple[PermissionCard, ...]:
    """A card for each call that waits, the oldest first."""
    models = {} if comparison is None else {run.run_id: run.model for run in comparison.runs}
    count = len(waiting)
    return tuple(
        _describe(
            one, models.get(one.run_id, ""), translate("composer.at_of", at=at, count=count) if count > 1 else "", now
        )
        for at, one in enumerate(waiting, start=1)
    )


def read_edited(text: str) -> dict[str, Any]:
    """The arguments that were typed.

    Raises:
        InputError: they are no JSON object.
    """
    if not text.strip():
        raise InputError(_INPUT, "This is no JSON: nothing is written.")
    return read_arguments(text)


def list_faults(error: InputError) -> tuple[str, ...]:
    """What is wrong with an answer, each with the argument it is about."""
    if isinstance(error, WrongArgumentsError):
        return tuple(f"{_place(field)}: {translate_fault(reason)}" for field, reason in error.problems)
    reason = translate_fault(error.reason)
    if error.field == _INPUT:
        return (reason,)
    return (f"{_place(error.field)}: {reason}",)


def write_pattern(value: object) -> str:
    """The pattern that covers this value and no other; of lists and objects any."""
    if isinstance(value, str):
        return value.replace("*", "[*]")
    return "*" if isinstance(value, dict | list) else json.dumps(value)


def _describe(one: PermissionItemView, by: str, place: str, now: datetime) -> PermissionCard:
    called = f"{one.title} ({one.tool_name})" if one.title and one.title != one.tool_name else one.tool_name
    elsewhere = not by and one.conversation_id != one.shown_in
    try:
        read = read_arguments(one.input_json)
    except InputError:  # shown as it came
        read, arguments, text = {}, escape_invisible(one.input_json), one.input_json
    else:
        arguments, text = _show(read.items()), _write(read)
    return PermissionCard(
        id=one.id,
        run_id=one.run_id,
        name=f"{one.server}: {called}",
        by=by,
        agent=one.agent,
        delegated=conversation_path(one.conversation_id) if elsewhere else "",
        place=place,
        description=one.description,
        arguments=arguments,
        text=text,
        rows=min(_MAX_ROWS, text.count("\n") + 2),
        bounds=tuple(BoundView(name, write_pattern(value)) for name, value in read.items()),
        until=(now + timedelta(seconds=one.seconds_left)).isoformat(),
        now=now.isoformat(),
    )


def _show(arguments: Iterable[tuple[str, Any]]) -> str:
    """The arguments one a line, texts as they are but for invisible characters."""
    lines = (f"{name}: {value if isinstance(value, str) else _write(value)}" for name, value in arguments)
    return escape_invisible("\n".join(lines))


def _write(value: Any) -> str:
    """JSON, in which an escape says the same as the invisible character that it stands for."""
    return escape_invisible(json.dumps(value, indent=2, ensure_ascii=False))


def _place(field: str) -> str:
    return field.removeprefix(_ARGUMENTS).removeprefix(".") or _ARGUMENTS
