"""The list on the page of prompts, deleting one with undo, and the answer to an import.

Not the form of one (`form.py`), nor inserting one into a message (`composer/inserting.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InputError, InviewError
from app.domain.prompts.prompts import Prompt
from app.domain.prompts.variables import list_variables
from app.language.faults import translate_fault
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.prompt_commands import delete_prompt, list_prompts, read_prompt, restore_prompt, share_prompt
from app.runs.library.sharing import Sharing, read_sharing
from app.runs.workbench import current
from app.state.file_answers import read_answer, refuse
from app.state.toasts import show_fault, show_toast

_MAX_ABOUT: Final = 120


@dataclass(frozen=True)
class PromptItem:
    """A prompt of the list. `asks` says which variables it has, "" for none.

    `shared`: others may use it; `shared_by` says who shares it, "" for one's own. `changeable`: it may be edited here.
    """

    id: str
    name: str
    title: str
    about: str
    asks: str
    shared: bool = False
    shared_by: str = ""
    changeable: bool = True


@dataclass(frozen=True)
class PromptFolder:
    """A folder with its prompts. `name` is "" for the prompts in none."""

    name: str
    prompts: tuple[PromptItem, ...]


class PromptListState(rx.State):
    """`folders` are those that hold a prompt. `focused` is the form whose button gets the focus when it closes.

    `offered`: there are others to share with.
    """

    folders: rx.Field[tuple[PromptFolder, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    offered: rx.Field[bool] = rx.field(default=False)
    focused: rx.Field[str] = rx.field("")

    @rx.event
    async def share(self, prompt_id: str, shared: bool) -> None:
        """Let everybody of the installation use a prompt, or its owner alone again."""
        try:
            prompt = await share_prompt(current(), caller(), str(prompt_id), shared=bool(shared))
        except InviewError as error:
            await show_fault(self, error)
        else:
            key = "prompts.shared_prompt" if shared else "prompts.unshared_prompt"
            await show_toast(self, translate(key, name=prompt.name))
        await self._read()

    @rx.event
    async def load(self) -> None:
        """Show the prompts by folder and name."""
        await self._read()

    @rx.event
    async def delete_prompt(self, prompt_id: str) -> None:
        """Delete a prompt; the toast offers to restore it."""
        try:
            prompt = await read_prompt(current(), caller(), str(prompt_id))
            await delete_prompt(current(), caller(), prompt.id)
        except InviewError as error:
            await show_fault(self, error)
        else:
            undo = cast("EventSpec", PromptListState.restore_prompt(prompt.id))  # what a handler of a class gives
            await show_toast(self, translate("prompts.deleted_prompt", name=prompt.name), undo=undo)
        await self._read()

    @rx.event
    async def restore_prompt(self, prompt_id: str) -> None:
        """Undo a deletion."""
        try:
            await restore_prompt(current(), caller(), str(prompt_id))
        except InviewError as error:
            await show_fault(self, error)
        await self._read()

    @rx.event
    async def finish_import(self, file_name: str, answer: str) -> None:
        """Say what became of a file that the browser uploaded; `answer` is the JSON that came back, "" if none did."""
        try:
            await show_toast(self, _describe_import(answer))
        except InputError as error:
            reason = translate_fault(error.reason)
            await show_fault(self, translate("prompts.import_failed", file=str(file_name)[:200], reason=reason))
        await self._read()

    @rx.event
    async def end_focus(self) -> None:
        """Forget the button once it has the focus."""
        self.focused = ""

    async def _read(self) -> None:
        sharing = await read_sharing(current(), caller())
        found = await list_prompts(current(), caller())
        self.offered = sharing.offered
        self.folders = tuple(
            PromptFolder(name, tuple(_describe(one, sharing) for one in prompts))
            for name, prompts in groupby(found, key=lambda prompt: prompt.folder)
        )
        self.loaded = True


def _describe_import(answer: object) -> str:
    """Say how many prompts there are now that were not.

    Raises:
        InputError: the file was refused, or never arrived.
    """
    body = read_answer(answer)
    if not isinstance(body.get("items"), list):
        refuse(body)
    return translate("prompts.imported", count=len(body["items"]), known=int(body.get("known") or 0))


def _describe(prompt: Prompt, sharing: Sharing) -> PromptItem:
    first = prompt.text.strip().split("\n", 1)[0]
    about = first if len(first) <= _MAX_ABOUT else f"{first[: _MAX_ABOUT - 1]}…"
    names = ", ".join(one.name for one in list_variables(prompt.text))
    mine = prompt.owner == caller()
    return PromptItem(
        prompt.id,
        prompt.name,
        prompt.title,
        about,
        translate("prompts.asks_for", names=names) if names else "",
        prompt.shared_at is not None,
        "" if mine else sharing.names.get(prompt.owner, translate("agents.somebody")),
        changeable=mine or sharing.administers,
    )
