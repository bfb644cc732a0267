"""Settings → Retention: the rules, what they would move now, and the log of what they moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.conversation.placement import Folder
from app.domain.errors import InviewError
from app.domain.preferences import Preferences
from app.domain.retention import RetentionKind, RetentionRule
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.folder_commands import keep_folder_for, list_folders
from app.runs.library.preference_commands import read_preferences
from app.runs.library.retention import count_due, list_logged, load_rules, undo_sweep
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.state.settings.preferences import prefer

FIELDS: Final[Mapping[str, str]] = {
    "temporary": "temporary_minutes",
    RetentionKind.CHAT.value: "chat_days",
    RetentionKind.CHILD.value: "child_days",
    RetentionKind.IMPORTED.value: "imported_days",
}
"""The preference of each choice, by what it is about."""
CHOICES: Final[Mapping[str, tuple[int, ...]]] = {
    "temporary": (5, 15, 30, 60, 240, 1_440),
    RetentionKind.CHAT.value: (30, 90, 180, 365, 730),
    RetentionKind.CHILD.value: (7, 30, 90, 180, 365),
    RetentionKind.IMPORTED.value: (0, 30, 90, 180, 365, 730),
    RetentionKind.FOLDER.value: (0, 7, 30, 90, 180, 365, 730),
}
"""Minutes of a temporary conversation, days of the others; 0: never, where nothing chosen is as other chats."""


@dataclass(frozen=True)
class RetentionTerm:
    """A choice of a rule: after how long, or never."""

    value: str
    label: str


@dataclass(frozen=True)
class FolderRule:
    """The rule of a folder: the choice, and the choices."""

    id: str
    name: str
    chosen: str
    terms: tuple[RetentionTerm, ...]


@dataclass(frozen=True)
class SweepItem:
    """An entry of the log. `left`: how many conversations can be brought back."""

    number: int
    at: str
    text: str
    left: int


class RetentionState(rx.State):
    """`due` says what would go to the trash now, "" where no rule is set. Of `temporary`, `chat`, `child` "" is never;
    of `imported` and of a folder it is the rule of chats.

    `…_terms` are the choices of each; what was set over HTTP is among them.
    """

    temporary: rx.Field[str] = rx.field("")
    chat: rx.Field[str] = rx.field("")
    child: rx.Field[str] = rx.field("")
    temporary_terms: rx.Field[tuple[RetentionTerm, ...]] = rx.field(())
    chat_terms: rx.Field[tuple[RetentionTerm, ...]] = rx.field(())
    child_terms: rx.Field[tuple[RetentionTerm, ...]] = rx.field(())
    imported: rx.Field[str] = rx.field("")
    imported_terms: rx.Field[tuple[RetentionTerm, ...]] = rx.field(())
    folders: rx.Field[tuple[FolderRule, ...]] = rx.field(())
    due: rx.Field[str] = rx.field("")
    sweeps: rx.Field[tuple[SweepItem, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Read the rules and the log."""
        self.said = ""
        await self._read(await read_preferences(current(), caller()))

    @rx.event
    async def choose(self, what: str, count: str) -> None:
        """Let a rule say this many; "": never. What is no choice changes nothing."""
        if what not in FIELDS or count not in {"", *map(str, CHOICES[what])}:
            return
        wanted: dict[str, Any] = {FIELDS[what]: int(count) if count else None}
        try:
            changed = await prefer(self, lambda known: replace(known, **wanted))
        except InviewError as fault:
            self.said = describe_fault(fault)
            return
        self.said = translate("settings.retention.saved")
        await self._read(changed)

    @rx.event
    async def choose_for_folder(self, folder_id: str, count: str) -> None:
        """Let the conversations of a folder go after this many days; "": as those outside."""
        if count not in {"", *map(str, CHOICES[RetentionKind.FOLDER.value])}:
            return
        try:
            await keep_folder_for(current(), caller(), folder_id, int(count) if count else None)
        except InviewError as fault:
            self.said = describe_fault(fault)
            return
        self.said = translate("settings.retention.saved")
        await self._read(await read_preferences(current(), caller()))

    @rx.event
    async def bring_back(self, number: int) -> None:
        """Bring back what a sweep moved."""
        try:
            count = await undo_sweep(current(), caller(), number if type(number) is int else 0)
        except InviewError as fault:
            self.said = describe_fault(fault)
            return
        self.said = translate("settings.retention.brought_back", count=count)
        await self._read(await read_preferences(current(), caller()))

    async def _read(self, preferences: Preferences) -> None:
        shown = {what: getattr(preferences, name) for what, name in FIELDS.items()}
        self.temporary, self.chat, self.child, self.imported = (
            "" if one is None else str(one) for one in shown.values()
        )
        self.temporary_terms, self.chat_terms, self.child_terms, self.imported_terms = (
            _list_terms(what, count) for what, count in shown.items()
        )
        folders = await list_folders(current(), caller())
        self.folders = tuple(map(_describe_folder, folders))
        names = {one.id: one.name for one in folders}
        rules = await load_rules(current(), caller())
        due = [(rule, await count_due(current(), caller(), rule)) for rule in rules]
        self.due = " ".join(_describe("due", rule, count, names) for rule, count in due)
        self.sweeps = tuple(
            SweepItem(
                one.sweep.number,
                one.sweep.at.isoformat(),
                _describe("moved", one.sweep.rule, one.sweep.count, names),
                one.left,
            )
            for one in await list_logged(current(), caller())
        )


def _list_terms(what: str, chosen: int | None) -> tuple[RetentionTerm, ...]:
    key = "settings.retention.minutes" if what == "temporary" else "count.day"
    usual = "never" if what in {"temporary", RetentionKind.CHAT.value, RetentionKind.CHILD.value} else "as_chats"
    counts = sorted({*CHOICES[what], *(() if chosen is None else (chosen,))})
    terms = (
        RetentionTerm(str(count), translate(key, count=count) if count else translate("settings.retention.never"))
        for count in counts
    )
    return (RetentionTerm("", translate(f"settings.retention.{usual}")), *terms)


def _describe_folder(folder: Folder) -> FolderRule:
    days = folder.retention_days
    terms = _list_terms(RetentionKind.FOLDER.value, days)
    return FolderRule(folder.id, folder.name, "" if days is None else str(days), terms)


def _describe(what: str, rule: RetentionRule, count: int, names: Mapping[str, str]) -> str:
    """What a rule would move (`due`) or `moved`, in words."""
    name = names.get(rule.folder_id, translate("settings.retention.deleted_folder"))
    return translate(f"settings.retention.{what}_{rule.kind}", count=count, days=rule.days, name=name)
