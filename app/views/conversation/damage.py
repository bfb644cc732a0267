"""The unreadable settings of a conversation, for the note above its pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.conversation.damage import SETTINGS, Damage, list_damaged_settings


@dataclass(frozen=True, slots=True)
class DamagedSettingView:
    """A setting that cannot be read. `column` is its database column, which "Reset" resets. `line` gives the reason."""

    column: str
    name: str
    line: str


def show_damaged_settings(damage: Iterable[Damage]) -> tuple[DamagedSettingView, ...]:
    """Return the unreadable settings that a send depends on. Nothing is sent until they are set again."""
    return tuple(
        DamagedSettingView(one.column, SETTINGS[one.column], one.line) for one in list_damaged_settings(damage)
    )
