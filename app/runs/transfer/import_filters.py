"""The saved filters of an import file: stored under names that are free in this installation.

    names = await save_filters(session, owner, file, at)
    line = read_filter("@good & s>=2", names, saved, "$.conversations[0].filter")

In the filters that use a saved filter, its new name replaces the old one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import InputError
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import Saved, leaves
from app.domain.filters.saved import expand_saved
from app.domain.filters.saved_rules import read_savable, rename_use
from app.runs.transfer.import_scan import FaultError
from app.runs.transfer.import_shapes import ExportShape, SavedFilterShape
from app.store.filters.filters import load_saved_filters, write_saved_filters


async def save_filters(session: AsyncSession, owner: str, file: ExportShape, at: datetime) -> dict[str, str]:
    """Store the saved filters of an import file. Return their names in this installation, by their names in the file.

    If a different filter with the same name is already stored, the imported filter's name gets a number.
    """
    known = await load_saved_filters(session, owner)
    names, lines = _name_filters(file, known)
    new = {name: line for name, line in lines.items() if known.get(name) != line}
    for number, shape in enumerate(file.filters):
        if (name := names[shape.name]) in new:
            try:
                read_savable(name, new[name], {**known, **lines})
            except InputError as error:
                raise FaultError(f"$.filters[{number}].{error.field}", error.reason) from error
    await write_saved_filters(session, owner, new, at)
    return names


def _name_filters(file: ExportShape, known: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Choose a name for each saved filter of a file. Return the new names by old name, and the filters by new name.

    The filters that other filters use get their names first. Then the text of every filter can be written with the new
    names, and compared with the filters of this installation. An equal filter is not stored again.
    """
    names: dict[str, str] = {}
    lines: dict[str, str] = {}
    waiting = list(enumerate(file.filters))
    in_file = {shape.name for shape in file.filters}
    while waiting:
        ready = [one for one in waiting if all(used in names or used not in in_file for used in _uses(*one))]
        for number, shape in ready or waiting:
            if shape.name in names:
                raise FaultError(f"$.filters[{number}].name", f"@{shape.name} occurs twice.")
            line = _rename(shape.filter, names)
            names[shape.name] = name = _free_name(shape.name, line, {**known, **lines})
            lines[name] = line
        waiting = [one for one in waiting if one[1].name not in names]
    return names, lines


def _uses(number: int, shape: SavedFilterShape) -> frozenset[str]:
    try:
        return frozenset(leaf.name for leaf in leaves(parse_filter(shape.filter)) if isinstance(leaf, Saved))
    except FilterError as error:
        raise FaultError(f"$.filters[{number}].filter", error.message) from error


def _free_name(name: str, line: str, known: Mapping[str, str]) -> str:
    candidate, number = name, 1
    while known.get(candidate, line) != line:
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def _rename(line: str, names: Mapping[str, str]) -> str:
    """Return the line with the new names of its saved filters.

    Two filters may swap names, so each name is first replaced by a temporary name.
    """
    parse_filter(line)
    changed = [(old, new) for old, new in names.items() if old != new]
    for number, (old, _) in enumerate(changed):
        line = rename_use(line, old, f"_{number}_")
    for number, (_, new) in enumerate(changed):
        line = rename_use(line, f"_{number}_", new)
    return line


def read_filter(line: str, names: Mapping[str, str], saved: Mapping[str, str], place: str) -> str:
    """Return the filter of an imported conversation with the names that its saved filters have in this installation.

    Raises:
        FaultError: the filter cannot be parsed, or uses a saved filter that is missing. `place` is its place in the
            file.
    """
    try:
        renamed = _rename(line, names)
        expand_saved(parse_filter(renamed), saved)
    except FilterError as error:
        raise FaultError(place, error.message) from error
    return renamed
