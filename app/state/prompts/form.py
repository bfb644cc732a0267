"""The form of one prompt: new, edited or copied. Which one is in the address, so that it survives a restart.

    /prompts?prompt=new    a new one
    /prompts?prompt=p1     edit the prompt p1
    /prompts?copy=p1       a new one with the fields of p1

The browser holds what is being typed and sends all of it at once. When something is refused, the vars take over what
was sent, and nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

import reflex as rx

from app.domain.errors import ConflictError, InputError, InviewError, NotFoundError
from app.domain.prompts.prompts import MAX_NAME, Prompt
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.prompt_commands import (
    PromptFields,
    change_prompt,
    create_prompt,
    list_prompts,
    read_prompt,
)
from app.runs.workbench import current
from app.state.address import NEW, form_in
from app.state.faults import describe_fault, describe_reason
from app.state.prompts.listing import PromptListState
from app.state.toasts import show_fault, show_toast

LIST: Final = "/prompts"
"""The address of the list."""
"""What the address says of a prompt that is not there yet; no id reads so."""
REFUSED: Final = "agents.save_refused"
_COPY: Final = "-copy"


@dataclass(frozen=True)
class PromptForm:
    """The fields of a prompt. `id` is "" for a new one."""

    id: str = ""
    name: str = ""
    title: str = ""
    folder: str = ""
    text: str = ""


@dataclass(frozen=True)
class PromptErrors:
    """Why each field was refused, "" if it was not. `form`: what is no field's fault, or that others are."""

    name: str = ""
    title: str = ""
    folder: str = ""
    text: str = ""
    form: str = ""


_FIELDS: Final = tuple(field.name for field in fields(PromptForm))


class PromptFormState(rx.State):
    """`form` are the values that the fields begin with. `opened` is the form that the vars are of, "" before any.

    `folders` are those that other prompts are in, to be suggested.
    """

    form: rx.Field[PromptForm] = rx.field(default_factory=PromptForm)
    errors: rx.Field[PromptErrors] = rx.field(default_factory=PromptErrors)
    folders: rx.Field[tuple[str, ...]] = rx.field(())
    opened: rx.Field[str] = rx.field("")

    @rx.var
    def editing(self) -> str:
        """Which form the address asks for: "new", or "prompt" or "copy" with an id; "" for the list."""
        return form_in(self.router.url.query_parameters, "prompt")

    @rx.var
    def ready(self) -> bool:
        """Whether the form can be drawn: its fields would keep what the form before it held."""
        return bool(self.editing) and self.opened in ("", self.editing)

    @rx.event
    async def load(self) -> rx.event.EventType[()] | None:
        """Fill the form that the address asks for. One that is open already is left alone: a reconnect loads too."""
        if self.editing == self.opened:
            return None
        self.reset()
        self.opened = self.editing
        if not self.editing:
            return None
        what, _, prompt_id = self.editing.partition(" ")
        listing = await self.get_state(PromptListState)
        listing.focused = self.editing
        if what != NEW:
            try:
                prompt = await read_prompt(current(), caller(), prompt_id)
            except NotFoundError as error:
                await show_fault(self, error)
                return rx.redirect(LIST, replace=True)
            self.form = _show(prompt, copied=what == "copy")
        found = await list_prompts(current(), caller())
        self.folders = tuple(dict.fromkeys(one.folder for one in found if one.folder))
        return None

    @rx.event
    async def close(self) -> rx.event.EventType[()]:
        """Go back to the list."""
        return rx.redirect(LIST)

    @rx.event
    async def save(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Store what the form holds and go back to the list, or say at each field why not."""
        given = PromptForm(**{name: value for name in _FIELDS if isinstance(value := form.get(name, ""), str)})
        wanted: PromptFields = {
            "name": given.name.strip().removeprefix("/"),
            "title": given.title.strip(),
            "folder": given.folder.strip(),
            "text": given.text,
        }
        try:
            if given.id:
                prompt = await change_prompt(current(), caller(), given.id, wanted)
            else:
                prompt = await create_prompt(current(), caller(), wanted)
        except InviewError as error:
            self.form, self.errors = given, _describe_refusal(error)
            first = next((name for name in _FIELDS if getattr(self.errors, name, "")), "")
            return rx.set_focus(f"prompt-{first}") if first else None
        await show_toast(
            self, translate("prompts.saved_prompt" if given.id else "prompts.made_prompt", name=prompt.name)
        )
        return rx.redirect(LIST)


def _show(prompt: Prompt, *, copied: bool) -> PromptForm:
    name = f"{prompt.name[: MAX_NAME - len(_COPY)]}{_COPY}" if copied else prompt.name
    return PromptForm("" if copied else prompt.id, name, prompt.title, prompt.folder, prompt.text)


def _describe_refusal(error: InviewError) -> PromptErrors:
    """Put the reason at the field it is about."""
    if isinstance(error, ConflictError):
        return PromptErrors(name=describe_fault(error), form=translate(REFUSED))
    if isinstance(error, InputError) and error.field in _FIELDS:
        reason = describe_reason(error)
        return PromptErrors(**{error.field: reason}, form=translate(REFUSED))
    return PromptErrors(form=describe_fault(error))
