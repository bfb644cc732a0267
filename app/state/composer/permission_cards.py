"""Pending permission requests as cards: the tool, its arguments, and the possible answers.

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
from app.domain.text.invisible import escape_invisible
from app.domain.tools.arguments import read_arguments
from app.runs.tools.permission_commands import WrongArgumentsError
from app.state.tab.address import conversation_path
from app.views.reply.panels import PermissionItemView, ScreenComparisonView

_INPUT: Final = "input"
_ARGUMENTS: Final = "arguments"
_MAX_ROWS: Final = 14
_MAX_IN_FIELD: Final = 60


@dataclass(frozen=True)
class BoundView:
    """A pattern that an argument must match for a rule to apply."""

    name: str
    pattern: str


@dataclass(frozen=True)
class PermissionCard:
    """A tool call that waits for a person's answer.

    - `now`, `until`: the server's time when the card was made, and the time until which the call waits (both ISO 8601).
    - `by`: the model that makes the call in a comparison, otherwise "".
    - `agent`: the agent that makes the call, "" if no agent does.
    - `delegated`: the path of the child conversation, if an agent makes the call in one, otherwise "".
    - `place`: for example "1 of 2" if several calls wait, otherwise "".
    - `description`, `source`: the description of the tool, and its title, which says if another server wrote it.
    - `arguments`: the arguments as a text for reading.
    - `beside_bounds`: the arguments that the fields of the `bounds` do not show whole.
    - `text`: the arguments as JSON, which is edited while `editing`, in a field with `rows` lines.
    - `bounds`: the patterns that a rule can require, shown while `bounding`.
    - `faults`: the errors of the last answer.
    - `leads`: a person who answers by keyboard continues at this card.
    """

    id: str
    run_id: str
    name: str
    by: str
    delegated: str
    place: str
    description: str
    source: str
    arguments: str
    beside_bounds: str
    text: str
    rows: int
    bounds: tuple[BoundView, ...]
    until: str
    now: str
    editing: bool = False
    bounding: bool = False
    faults: tuple[str, ...] = ()
    leads: bool = False
    agent: str = ""


def list_cards(
    waiting: tuple[PermissionItemView, ...], comparison: ScreenComparisonView | None, now: datetime
) -> tuple[PermissionCard, ...]:
    """Return a card for each pending call (`waiting`), the oldest first.

    `comparison` is the open comparison: a card names the model if the call is made in one of its replies.
    """
    models = {} if comparison is None else {run.run_id: run.model_name or run.model for run in comparison.runs}
    count = len(waiting)
    return tuple(
        _describe(one, models.get(one.run_id, ""), f"{at} of {count}" if count > 1 else "", now)
        for at, one in enumerate(waiting, start=1)
    )


def read_edited(text: str) -> dict[str, Any]:
    """Return the arguments of a tool call from the JSON text that a person typed.

    Raises:
        InputError: the text is not a JSON object.
    """
    if not text.strip():
        raise InputError(_INPUT, "This is not valid JSON: the field is empty.")
    return read_arguments(text)


def list_faults(error: InputError) -> tuple[str, ...]:
    """Return the errors of a person's answer, each with the name of its argument."""
    if isinstance(error, WrongArgumentsError):
        return tuple(f"{_place(field)}: {reason}" for field, reason in error.problems)
    if error.field == _INPUT:
        return (error.reason,)
    return (f"{_place(error.field)}: {error.reason}",)


def write_pattern(value: object) -> str:
    """Return the pattern that matches only this value.

    For a list or an object, return the pattern that matches any value.
    """
    if isinstance(value, str):
        return value.replace("*", "[*]")
    return "*" if isinstance(value, dict | list) else json.dumps(value)


def _describe(one: PermissionItemView, by: str, place: str, now: datetime) -> PermissionCard:
    called = f"{one.title} ({one.tool_name})" if one.title and one.title != one.tool_name else one.tool_name
    elsewhere = not by and one.conversation_id != one.shown_in
    try:
        read = read_arguments(one.input_json)
    except InputError:  # then the JSON is shown unchanged
        read, arguments, text = {}, escape_invisible(one.input_json), one.input_json
        beside = arguments
    else:
        arguments, text = _show(read.items()), _write(read)
        beside = _show((name, value) for name, value in read.items() if not _fits_field(value))
    return PermissionCard(
        id=one.id,
        run_id=one.run_id,
        name=f"{one.server}: {called}",
        by=by,
        delegated=conversation_path(one.conversation_id) if elsewhere else "",
        place=place,
        description=one.description,
        source="Description" if one.built_in else "Description from the server",
        arguments=arguments,
        beside_bounds=beside,
        text=text,
        rows=min(_MAX_ROWS, text.count("\n") + 2),
        bounds=tuple(BoundView(name, write_pattern(value)) for name, value in read.items()),
        until=(now + timedelta(seconds=one.seconds_left)).isoformat(),
        now=now.isoformat(),
        agent=one.agent,
    )


def _fits_field(value: object) -> bool:
    """Return True if the field with the pattern of this value shows all of the value: one short, visible line."""
    pattern = write_pattern(value)
    is_visible = escape_invisible(pattern) == pattern and "\n" not in pattern
    return not isinstance(value, dict | list) and is_visible and len(pattern) <= _MAX_IN_FIELD


def _show(arguments: Iterable[tuple[str, Any]]) -> str:
    """Return the arguments as text, one per line. Invisible characters are escaped."""
    lines = (f"{name}: {value if isinstance(value, str) else _write(value)}" for name, value in arguments)
    return escape_invisible("\n".join(lines))


def _write(value: Any) -> str:
    """Return the value as JSON with its invisible characters escaped. These escapes do not change the value."""
    return escape_invisible(json.dumps(value, indent=2, ensure_ascii=False))


def _place(field: str) -> str:
    return field.removeprefix(_ARGUMENTS).removeprefix(".") or _ARGUMENTS
