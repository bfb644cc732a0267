"""The preview: the exact request of a send made now, as readable text, as JSON, and compared with the last request.

On the start page, the preview shows the request of the first message: the composer reports the draft on which this
request depends (`note_first`).

A small preview is kept current. A large one is marked as outdated and is built again when the user asks for it. A small
body is shown whole; a larger one is shown in pages, and can be downloaded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import AppContext, context_for, current
from app.runs.attachments.uploads import load_bytes
from app.runs.request.preview import Preview
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.first_message import preview_first
from app.runs.send.send_request import SendRequest
from app.state.conversation.first_draft import FirstDraft
from app.state.inspector.bodies import BodyView, show_body
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.tab_watchers import Moment, moment_of
from app.store.conversation.pairs import load_pairs
from app.views.inspector.request import FIRST_MESSAGES, MORE_MESSAGES, RequestView, RequestWindow, show_request
from app.views.inspector.request_changes import ChangesView, ComparedRequest, show_changes
from app.views.request.preview import Previewed

T = TypeVar("T")

TABS: Final = ("readable", "json", "changes")
LARGE: Final = 400_000
"""Size in bytes above which the preview of a body is not updated automatically."""
_MAX_KEY: Final = 40
_MAX_MODEL: Final = 300


@dataclass(frozen=True)
class PreviewModel:
    """One of several models that get the next message, with its display `name`."""

    model: str
    name: str


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The request of a planned send. `conversation_id` is "" if the send is the first message of a new conversation.

    `model_name` differs from the names of the other models that get the message.
    """

    conversation_id: str
    planned: Preview
    body_sha256: str
    model_name: str

    @property
    def is_large(self) -> bool:
        return len(self.planned.wire.body) > LARGE


@dataclass(frozen=True, slots=True)
class _Selection:
    """The part of a request that the user chose to see. `page` counts from 1."""

    tab: str
    reading: RequestWindow
    page: int = 1


@dataclass(frozen=True, slots=True)
class _Shown:
    """The visible parts of a request. The content of tabs that are not open is None."""

    request: RequestView
    body: BodyView | None = None
    changes: ChangesView | None = None
    changes_note: str = ""


class PreviewState(rx.State):
    """The preview of the next send. `tab` is the tab that is open in it.

    - `request`: the request, None until it is built.
    - `fault`: the reason why it cannot be built.
    - `stale`: the next send may differ from this request.
    - `busy`: the request is being built, which takes a while if it is `large`.
    - `conversation`: the id of the conversation that the request belongs to.
    - `models`: the models that get the next message, if there are several. `model` is the one whose request is shown.
    - `edition`: the number that the text area gave to the draft in the request. If the text area has another number
      now, the preview belongs to an earlier text.
    - `body`, `changes`: set only while the open tab shows them.
    - `changes_note`: the reason why there is nothing to compare.
    """

    tab: rx.Field[str] = rx.field("readable")
    conversation: rx.Field[str] = rx.field("")
    models: rx.Field[tuple[PreviewModel, ...]] = rx.field(())
    model: rx.Field[str] = rx.field("")
    request: rx.Field[RequestView | None] = rx.field(None)
    body: rx.Field[BodyView | None] = rx.field(None)
    changes: rx.Field[ChangesView | None] = rx.field(None)
    changes_note: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")
    stale: rx.Field[bool] = rx.field(default=False)
    edition: rx.Field[int] = rx.field(0)
    busy: rx.Field[bool] = rx.field(default=False)
    large: rx.Field[bool] = rx.field(default=False)
    _messages: int = FIRST_MESSAGES
    _opened: frozenset[str] = frozenset()
    _page: int = 1
    _turn: int = 0
    _built_at: Moment | FirstDraft | None = None
    _first: FirstDraft | None = None

    @rx.event(background=True)
    async def refresh(self) -> None:
        """Build the request that a send would make now, and show it, even if it is large."""
        await self._read()

    @rx.event(background=True)
    async def keep_current(self) -> None:
        """Build the preview again, because the next send has changed. A large request is only marked as outdated."""
        async with self:
            moment = self._moment()
            if self.large and moment is not None and moment.conversation_id == self.conversation:
                self.stale = True
                return
        await self._read()

    @rx.event(background=True)
    async def choose_tab(self, tab: str) -> None:
        """Show another tab of the preview."""
        chosen = text_in(tab, _MAX_KEY)
        if chosen in TABS:
            async with self:
                self.tab, self._page = chosen, 1
            await self._show_again()

    @rx.event(background=True)
    async def choose_model(self, model: str) -> None:
        """Show the request to this model, which is one of those that get the next message."""
        chosen = text_in(model, _MAX_MODEL)
        async with self:
            if chosen == self.model or chosen not in {one.model for one in self.models}:
                return
            self.model = chosen
        await self._read()

    @rx.event(background=True)
    async def show_earlier(self) -> None:
        """Show some older messages of the request in addition to those on screen."""
        async with self:
            self._messages += MORE_MESSAGES
        await self._show_again()

    @rx.event(background=True)
    async def open_piece(self, key: str) -> None:
        """Show the whole text of one part of the request: of a message, a tool or the system text."""
        piece = text_in(key, _MAX_KEY)
        async with self:
            if piece is None or piece in self._opened:
                return
            self._opened |= {piece}
        await self._show_again()

    @rx.event(background=True)
    async def show_page(self, number: int) -> None:
        """Show another page of the JSON, counted from 1."""
        page = whole_in(number)
        if page is not None:
            async with self:
                self._page = page
            await self._show_again()

    async def _read(self) -> None:
        """Plan the next send and show its request, unless another build started meanwhile."""
        async with self:
            moment = self._moment()
            if moment is None:
                return
            self._list_models(moment)
            turn, selection, model = self._begin(moment.conversation_id), self._selection(), self.model
        try:
            prepared = await _prepare(moment, model)
            shown = await _describe(prepared, selection)
        except InviewError as error:
            async with self:
                if self._turn == turn:
                    self.fault, self.busy, self.stale = describe_fault(error), False, True
            return
        async with self:
            if self._turn == turn:
                self._show(shown, large=prepared.is_large)
                self.edition, self._built_at = moment.edition, moment
                note_moment(self)
            is_wanted = self._turn == turn and self._selection() != selection
        if is_wanted:  # the user chose another part of the request meanwhile
            await self._show_again()

    async def _show_again(self) -> None:
        """Show other parts of the request on screen.

        If this request is no longer cached, build and show the request of a send made now.
        """
        async with self:
            conversation_id, request, selection, turn = self.conversation, self.request, self._selection(), self._turn
        if request is None:
            return
        ctx = await context_for(current(), conversation_id)
        planned = ctx.prepared.find(LOCAL_OWNER, conversation_id, request.body_sha256)
        if planned is None:
            await self._read()
            return
        prepared = _Prepared(conversation_id, planned, request.body_sha256, request.model_name)
        shown = await _describe(prepared, selection)
        async with self:
            is_same = self.request is not None and self.request.body_sha256 == request.body_sha256
            if is_same and self._turn == turn and self._selection() == selection:
                self._show(shown, large=prepared.is_large)

    def _moment(self) -> Moment | FirstDraft | None:
        """Return the data that the next send depends on.

        This is the `Moment` of the conversation on screen or, on the start page, the draft.
        """
        return moment_of(self) if conversation_in(self.router.url.path) else self._first

    def _list_models(self, moment: Moment | FirstDraft) -> None:
        """Show the models that get the next message. If none is chosen, choose the first usable one."""
        models = _models_of(moment)
        names = current().catalogue.names_of(LOCAL_OWNER, models)
        self.models = tuple(PreviewModel(model, names[model]) for model in models)
        if self.model not in models:
            self.model = (moment.options.model or "") if models else ""

    def _begin(self, conversation_id: str) -> int:
        """Start a build and return its number. If the request on screen is of another conversation, clear it."""
        if conversation_id != self.conversation:
            self.request = self.body = self.changes = None
            self._messages, self._opened, self._page = FIRST_MESSAGES, frozenset(), 1
            self.conversation = conversation_id
        self.fault, self.busy = "", True
        self._turn += 1
        return self._turn

    def _selection(self) -> _Selection:
        return _Selection(self.tab, RequestWindow(self._messages, self._opened), self._page)

    def _show(self, shown: _Shown, *, large: bool) -> None:
        self.request, self.body = shown.request, shown.body
        self.changes, self.changes_note = shown.changes, shown.changes_note
        self.fault, self.busy, self.large = "", False, large


def note_moment(state: PreviewState) -> None:
    """Mark the preview as outdated if the next send has changed since the preview was built; otherwise unmark it."""
    set_changed(state, stale=state._moment() != state._built_at)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - see chat.py


async def note_first(state: rx.State, draft: FirstDraft) -> None:
    """Store the draft of the start page for the preview, and mark the preview as outdated if the draft has changed."""
    preview = await state.get_state(PreviewState)
    preview._first = draft  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
    note_moment(preview)


def _models_of(moment: Moment | FirstDraft) -> tuple[str, ...]:
    """Return the models that get the next message; () if it is only one."""
    if isinstance(moment, Moment):
        return moment.models
    return (moment.options.model or "", *moment.others) if moment.others else ()


async def _prepare(moment: Moment | FirstDraft, model: str) -> _Prepared:
    """Plan the request to this model; "": to the model of the view options."""
    ctx = await context_for(current(), moment.conversation_id)
    options = replace(moment.options, model=model) if model else moment.options
    planned = await _plan(ctx, replace(moment, options=options))
    key = ctx.prepared.keep(LOCAL_OWNER, moment.conversation_id, planned)
    profile, models = planned.composed.base.profile, _models_of(moment)
    name = ctx.catalogue.names_of(LOCAL_OWNER, {profile.model, *models})[profile.model] if models else profile.name
    return _Prepared(moment.conversation_id, planned, key, name)


async def _plan(ctx: AppContext, moment: Moment | FirstDraft) -> Preview:
    if isinstance(moment, FirstDraft):
        return await preview_first(ctx, LOCAL_OWNER, await moment.load())
    attached = await load_bytes(current(), LOCAL_OWNER, moment.attached)
    send = SendRequest(moment.draft, moment.options, moment.parameters, attached=attached)
    return await preview_send(ctx, LOCAL_OWNER, moment.conversation_id, send)


async def _describe(prepared: _Prepared, selection: _Selection) -> _Shown:
    """Return the visible parts of the request. Large ones are described in a thread, so that replies keep streaming."""
    request = await _call(prepared, show_request, _previewed(prepared.planned), prepared.body_sha256, selection.reading)
    request = replace(request, model_name=prepared.model_name)
    if selection.tab == "json":
        return _Shown(request, body=await _call(prepared, _show_page, prepared, selection.page))
    if selection.tab == "changes":
        return await _compare(prepared, _Shown(request), selection.reading)
    return _Shown(request)


async def _call(prepared: _Prepared, describe: Callable[..., T], *arguments: object) -> T:
    return await asyncio.to_thread(describe, *arguments) if prepared.is_large else describe(*arguments)


def _show_page(prepared: _Prepared, number: int) -> BodyView:
    """Return a page of the body. If the conversation exists, the whole body has an address for the download."""
    conversation_id = prepared.conversation_id
    path = f"/api/v1/conversations/{conversation_id}/preview/{prepared.body_sha256}" if conversation_id else ""
    return show_body(prepared.planned.wire.body, number, path)


async def _compare(prepared: _Prepared, shown: _Shown, reading: RequestWindow) -> _Shown:
    """Return `shown` with the differences from the last request of the conversation."""
    ctx = await context_for(current(), prepared.conversation_id)
    async with ctx.store.read() as session:
        newest = await load_pairs(session, LOCAL_OWNER, prepared.conversation_id, limit=1)
    run_id = newest[-1].run_id if newest else None
    if run_id is None:
        return replace(shown, changes_note="Nothing was sent in this conversation yet: all of this is new.")
    verified = await verify_run(ctx, LOCAL_OWNER, run_id)
    sent, reasons = verified.recorded or verified.request, " ".join(verified.reasons)
    if sent is None:
        return replace(shown, changes_note=f"The last request cannot be shown. {reasons}")
    last = ComparedRequest(sent, {pair.id: pair.position for pair in verified.pairs})
    visible = prepared.planned.composed.composition.visible.pairs
    now = ComparedRequest(prepared.planned.built.request, {pair.pair_id: pair.position for pair in visible})
    compare = partial(show_changes, warning="" if verified.is_proven else f"{_INEXACT} {reasons}")
    return replace(shown, changes=await _call(prepared, compare, last, now, reading))


_INEXACT: Final = "The last request is shown as it would be built now, which is not exactly what was sent."


def _previewed(planned: Preview) -> Previewed:
    base = planned.composed.base
    return Previewed(
        built=planned.built,
        hashes=planned.hashes,
        url=planned.wire.url,
        headers=planned.wire.headers,
        body=planned.wire.body,
        composition=planned.composed.composition,
        selection=planned.composed.selection,
        sentence=base.sentence,
        notices=base.notices,
        as_of=base.as_of,
    )
