"""The dialog that inserts a prompt or a resource of an MCP server (here called an offer) into the text area.

A person chooses an offer and fills in its fields; the server returns its text.

    await tab.send(InsertingState.ask)
    await tab.send(InsertingState.choose, offer_id="lab Prompt weather")
    await tab.send(InsertingState.insert, form={"field-0": "Ulm"})
    tab.shows(ComposerState, "order")  # BoxOrder(id="…", kind=OrderKind.INSERT, text="What's weather in Ulm?")
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.errors import InputError, InviewError
from app.state.agents.choice import AgentState
from app.state.composer.message_box import make_order
from app.state.composer.offers import Insertable, OfferKind, describe_option, describe_prompt, find_offers
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind, PromptRow
from app.state.messages.error_messages import describe_fault
from app.state.tab.inputs import text_in
from app.state.tab.visit import VisitedState
from app.views.composer.options import OptionRow

SUBMIT_ID: Final = "insert-submit"
"""The HTML id of the button that requests the text of a prompt or a resource from its MCP server."""
MAX_VALUE: Final = 20_000
"""Maximum number of characters of one argument of a prompt or a resource."""

_LOOKING: Final = "Loading…"
_MISSING: Final = "Fill in this field."

Events = AsyncGenerator[Any, None]


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field of the form for the chosen prompt or resource of an MCP server: one of its arguments.

    `value` is the last submitted value, `fault` the error of the field. When `turn` changes, the field gets the focus.
    """

    name: str
    required: bool
    description: str
    value: str = ""
    fault: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class OfferView:
    """The chosen prompt or resource.

    - `address`: the address of a resource, "" for a prompt.
    - `goes_back`: it was chosen from the full list, and the dialog has a button back to this list.
    - `asking`: its text was requested from the server and has not arrived.
    - `fault`: an error that belongs to no field.
    - `refused`: there is an error, in `fault` or at a field.
    """

    name: str
    about: str
    address: str
    server: str
    fields: tuple[FieldView, ...]
    goes_back: bool
    asking: bool = False
    fault: str = ""
    refused: bool = False


class InsertingState(VisitedState, rx.State):
    """The dialog that inserts a prompt or a resource. It is open while `opened`.

    - `rows`: the prompts and resources to choose from.
    - `offer`: the chosen one, which the dialog shows instead of `rows`.
    - `said`: names the servers that offer nothing, or has the reason why no list can be shown.
    - `failed`: the list could not be read.
    - `prompts`: the prompts that a typed "/" lists.
    """

    opened: rx.Field[bool] = rx.field(default=False)
    rows: rx.Field[tuple[OptionRow, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")
    failed: rx.Field[bool] = rx.field(default=False)
    offer: rx.Field[OfferView | None] = rx.field(None)
    prompts: rx.Field[tuple[PromptRow, ...]] = rx.field(())
    _offers: tuple[Insertable, ...] = ()
    _chosen: Insertable | None = None
    # This number grows with each choice and each return to the list, so that the answer to an earlier choice is
    # dropped.
    _turn: int = 0

    @rx.event
    async def ask(self) -> rx.event.EventType[()]:
        """Open the dialog and list the prompts and resources."""
        self._show(None)
        self.rows, self.said, self.failed, self.opened = (), _LOOKING, False, True
        await self._come()
        return InsertingState.look

    @rx.event(background=True)
    async def look(self) -> None:
        """List the prompts and resources of the servers that are switched on for the agent of this conversation."""
        async with self:
            agent_id = (await self.get_state(AgentState)).chosen
        try:
            found = await find_offers(agent_id)
        except InviewError as error:
            async with self:
                self.said, self.failed = describe_fault(error), True
            return
        async with self:
            self._offers, self.said, self.failed = found.offers, found.message, False
            self.rows = tuple(map(describe_option, found.offers))

    @rx.event(background=True)
    async def find_prompts(self) -> None:
        """List the prompts, because a "/" was typed. If they cannot be listed, the "/" is ordinary text."""
        async with self:
            agent_id = (await self.get_state(AgentState)).chosen
        try:
            offers = (await find_offers(agent_id)).offers
        except InviewError:
            offers = ()
        async with self:
            self._offers = offers
            self.prompts = tuple(describe_prompt(offer) for offer in offers if offer.kind is OfferKind.PROMPT)

    @rx.event
    async def choose(self, offer_id: str) -> rx.event.EventType[()] | None:
        """Choose a prompt or a resource from the full list."""
        return await self._choose(offer_id, goes_back=True)

    @rx.event
    async def choose_prompt(self, offer_id: str) -> rx.event.EventType[()] | None:
        """Choose one of the prompts that a typed "/" lists."""
        return await self._choose(offer_id, goes_back=False)

    @rx.event
    async def go_back(self) -> None:
        """Go back to the full list of prompts and resources."""
        self._show(None)

    @rx.event
    async def close(self) -> None:
        """Close the dialog of prompts and resources without inserting anything."""
        self._close()

    @rx.event
    async def clear_faults(self) -> None:
        """Clear the errors of the form, because a field is being edited."""
        self._complain({}, "")

    @rx.event
    async def insert(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Request the text for the form's values from the server and insert it, unless a required value is missing."""
        if self.offer is None or self.offer.asking:
            return None
        fields = tuple(
            replace(field, value=text_in(_value(form, place), MAX_VALUE) or "")
            for place, field in enumerate(self.offer.fields)
        )
        faults = {field.name: _MISSING for field in fields if field.required and not field.value.strip()}
        self.offer = replace(self.offer, fields=fields)
        self._complain(faults, "")
        return None if faults else self._begin()

    @rx.event(background=True)
    async def fetch(self) -> Events:
        """Fetch the text of the chosen prompt or resource from its MCP server, and put it into the text area."""
        async with self:
            chosen, offer, turn = self._chosen, self.offer, self._turn
        if chosen is None or offer is None:
            return
        try:
            text = await chosen.fetch({field.name: field.value for field in offer.fields})
        except InviewError as error:
            faults = _read_fault(error, offer.fields)
            async with self:
                if self._turn != turn or self.offer is None:
                    return
                self.offer = replace(self.offer, asking=False)
                self._complain(faults, "" if faults else describe_fault(error))
            if not faults:
                yield rx.set_focus(SUBMIT_ID)
            return
        async with self:
            if self._turn == turn:
                kind = OrderKind.INSERT if offer.goes_back else OrderKind.REPLACE
                (await self.get_state(ComposerState)).order = make_order(kind, text)
                self._show(None)
                self.opened = False

    async def _end_visit(self) -> None:
        self._close()

    async def _choose(self, offer_id: object, *, goes_back: bool) -> rx.event.EventType[()] | None:
        chosen = next((offer for offer in self._offers if offer.id == offer_id), None)
        if chosen is None:
            return None
        self._show(chosen, goes_back=goes_back)
        await self._come()
        self.opened = True
        return None if chosen.fields else self._begin()

    def _close(self) -> None:
        self._show(None)
        self.opened = False

    def _show(self, chosen: Insertable | None, *, goes_back: bool = False) -> None:
        self._turn += 1
        self._chosen, self.offer = chosen, None if chosen is None else _describe(chosen, goes_back=goes_back)

    def _begin(self) -> rx.event.EventType[()] | None:
        if self.offer is not None:
            self.offer = replace(self.offer, asking=True)
        return InsertingState.fetch

    def _complain(self, faults: Mapping[str, str], fault: str) -> None:
        """Show the errors of fields, and the error that belongs to no field.

        The first field with an error gets the focus.
        """
        if self.offer is None:
            return
        first = next((field.name for field in self.offer.fields if field.name in faults), None)
        fields = tuple(
            replace(field, fault=faults.get(field.name, ""), turn=field.turn + (field.name == first))
            for field in self.offer.fields
        )
        self.offer = replace(self.offer, fields=fields, fault=fault, refused=bool(faults or fault))


def _describe(offer: Insertable, *, goes_back: bool) -> OfferView:
    fields = tuple(FieldView(one.name, one.required, one.description) for one in offer.fields)
    about = f"{offer.kind} of “{offer.server}”. {offer.about}".rstrip()
    address = offer.key if offer.kind is OfferKind.RESOURCE else ""
    return OfferView(offer.name, about, address, offer.server, fields, goes_back)


def _value(form: object, place: int) -> object:
    return form.get(f"field-{place}", "") if isinstance(form, dict) else ""


def _read_fault(error: InviewError, fields: tuple[FieldView, ...]) -> dict[str, str]:
    """Return the message of an error, by the name of its field; empty if the error belongs to no field."""
    if not isinstance(error, InputError):
        return {}
    name = error.field.partition(".")[2]
    return {name: error.reason[:1].upper() + error.reason[1:]} if any(one.name == name for one in fields) else {}
