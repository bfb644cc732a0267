"""The recorded request of a provider call, in a dialog: what the call contained when it was made."""

from __future__ import annotations

import asyncio
from typing import Final

import reflex as rx

from app.domain.errors import InviewError, NotFoundError
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.sent_calls import read_sent_call
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import show_fault
from app.state.tab.address import conversation_in
from app.state.tab.inputs import text_in
from app.state.tab.visit import VisitedState
from app.state.usage.account import AccountState, find_call
from app.state.usage.account_view import CallItem
from app.views.inspector.request import FIRST_MESSAGES, MORE_MESSAGES, RequestWindow
from app.views.inspector.sent_call import RecordedRequestView, show_sent_request

MAX_TEXT: Final = 64
NOT_RECORDED: Final = "The content of this request was not recorded. An older version of Inview sent it."
NO_CALL: Final = "The request of this reply was not recorded, because the reply was copied or imported."


class SentCallState(VisitedState, rx.State):
    """The dialog with the recorded request of a provider call. It is open while `call` is set.

    - `call`: the call, as an entry of the list of costs.
    - `request`: what it contained; None: it is not read yet.
    - `fault`: the reason why it cannot be shown.
    """

    call: rx.Field[CallItem | None] = rx.field(None)
    request: rx.Field[RecordedRequestView | None] = rx.field(None)
    fault: rx.Field[str] = rx.field("")
    _messages: int = FIRST_MESSAGES
    _opened: frozenset[str] = frozenset()

    @rx.event(background=True)
    async def open(self, call_id: str) -> None:
        """Open the dialog with this call, which is in the list of costs on screen."""
        valid_id = text_in(call_id, MAX_TEXT)
        async with self:
            account = await self.get_state(AccountState)
            call = next((one for one in account.calls if one.id == valid_id), None)
            if call is None:
                return
            await self._show(call)
        await self._read()

    @rx.event(background=True)
    async def open_reply(self, run_id: str) -> None:
        """Open the dialog with the newest call of the reply of this run, or a message if no call was recorded."""
        valid_id, conversation_id = text_in(run_id, MAX_TEXT), conversation_in(self.router.url.path)
        if not valid_id:
            return
        call, fault = None, NO_CALL
        try:
            call = await find_call(conversation_id, valid_id)
        except NotFoundError as error:
            fault = describe_fault(error)
        async with self:
            if call is None:
                await show_fault(self, fault)
                return
            await self._show(call)
        await self._read()

    @rx.event
    async def close(self) -> None:
        self.reset()

    async def _show(self, call: CallItem) -> None:
        self.reset()
        await self._come()
        self.call = call

    async def _end_visit(self) -> None:
        self.call = None

    @rx.event(background=True)
    async def show_earlier(self) -> None:
        """Show some older messages of the request in addition to those on screen."""
        async with self:
            self._messages += MORE_MESSAGES
        await self._read()

    @rx.event(background=True)
    async def open_piece(self, key: str) -> None:
        """Show the whole text of one part of the request."""
        piece = text_in(key, MAX_TEXT)
        if piece:
            async with self:
                self._opened |= {piece}
            await self._read()

    async def _read(self) -> None:
        async with self:
            call, reading = self.call, self._window()
        if call is None:
            return
        request, fault = None, ""
        try:
            read = await read_sent_call(current(), LOCAL_OWNER, call.id, newest=reading.messages)
            request = await asyncio.to_thread(
                show_sent_request, read.content, read.sent.pieces, read.sent.request_hash, reading
            )
        except InviewError as error:
            fault = NOT_RECORDED if isinstance(error, NotFoundError) else describe_fault(error)
        async with self:
            if self.call == call and self._window() == reading:
                self.request, self.fault = request, fault

    def _window(self) -> RequestWindow:
        return RequestWindow(self._messages, self._opened)
