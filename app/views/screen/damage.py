"""Settings of a conversation that cannot be read, as the note at the top of the transcript shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.conversation.damage import SETTINGS, Damage, list_damaged_settings


@dataclass(frozen=True, slots=True)
class DamagedSettingView:
    """A setting that cannot be read. `column` is what "Reset" names, `line` says why."""

    column: str
    name: str
    line: str


def show_damaged_settings(damage: Iterable[Damage]) -> tuple[DamagedSettingView, ...]:
    """Those that a send depends on: until they are set again, nothing is sent."""
    return tuple(
        DamagedSettingView(one.column, SETTINGS[one.column], one.line) for one in list_damaged_settings(damage)
    )
