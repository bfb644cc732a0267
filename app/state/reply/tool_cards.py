"""The contents of the expanded cards of tool calls. The status of a call is in its pair's view (`ToolCardView`).

await tab.send(ToolCardState.unfold, pair_id="p1", version=1, tool_call_id="c1", turn="output-available")
"""

from __future__ import annotations

import asyncio
from typing import Final

import reflex as rx

from app.domain.errors import NotFoundError
from app.runs.app_context import context_for, current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.called_tools import CalledTool, Delegated, read_called_tool
from app.state.tab.address import conversation_in
from app.state.tab.inputs import text_in, whole_in
from app.state.usage.labels import describe_charge
from app.views.reply.tool_body import DelegatedView, ShownCall, ToolBodyView, list_pieces, show_body
from app.views.usage.figures import plural

MAX_ID: Final = 64
MAX_CALL_ID: Final = 500
MAX_CARDS: Final = 200
"""Maximum number of expanded cards with contents."""


class ToolCardState(rx.State):
    """The cards of tool calls that are expanded. The id of a card consists of its pair, version and call.

    - `bodies`: the contents of the cards.
    - `read`: the cards whose contents were read, each as its id and its `turn`, a text that the page changes when the
      call has new contents.
    - `whole`: the ids of the pieces whose text is shown in full.
    """

    bodies: rx.Field[tuple[ToolBodyView, ...]] = rx.field(())
    read: rx.Field[tuple[str, ...]] = rx.field(())
    whole: rx.Field[tuple[str, ...]] = rx.field(())
    _conversation: str = ""

    @rx.event(background=True)
    async def unfold(self, pair_id: str, version: int, tool_call_id: str, turn: str) -> None:
        """Read the current contents of a tool call and show them, because the card of the call was expanded.

        `turn` is a text that the page changes when the call has new contents. It is stored with the contents.
        """
        pair, number = text_in(pair_id, MAX_ID), whole_in(version)
        call, turn_id = text_in(tool_call_id, MAX_CALL_ID), text_in(turn, MAX_ID)
        if not pair or number is None or call is None or not turn_id:
            return
        try:
            called = await read_called_tool(await context_for(current(), pair), LOCAL_OWNER, pair, call)
        except NotFoundError:
            return  # the pair was deleted or answered again meanwhile, so the page removes the card too
        if called.version != number:
            return
        card = f"{pair}/{number}/{call}"
        body = await asyncio.to_thread(show_body, _describe(card, pair, called))
        async with self:
            if (conversation := conversation_in(self.router.url.path)) != self._conversation:
                self.reset()  # the page does not report that its previous cards were removed
                self._conversation = conversation
            self._forget(card)
            if len(self.bodies) < MAX_CARDS:
                self.bodies, self.read = (*self.bodies, body), (*self.read, f"{card}#{turn_id}")

    @rx.event
    async def fold(self, pair_id: str, version: int, tool_call_id: str) -> None:
        """Drop the contents of a tool card, because the card was collapsed."""
        self._forget(f"{pair_id}/{version}/{tool_call_id}")

    @rx.event
    async def toggle_piece(self, piece_id: str) -> None:
        """Switch a long text in a card between its full text and its beginning."""
        valid_id = text_in(piece_id, MAX_ID + MAX_CALL_ID)
        if valid_id is None or not any(valid_id in list_pieces(body) for body in self.bodies):
            return
        others = tuple(each for each in self.whole if each != valid_id)
        self.whole = others if valid_id in self.whole else (*others, valid_id)

    def _forget(self, card: str) -> None:
        self.bodies = tuple(each for each in self.bodies if each.id != card)
        self.read = tuple(each for each in self.read if each.rpartition("#")[0] != card)


def _describe(card: str, pair_id: str, called: CalledTool) -> ShownCall:
    return ShownCall(
        id=card,
        running=called.running,
        call=called.call,
        result=called.result,
        record=called.record,
        delegated=None if called.delegated is None else _describe_delegated(called.delegated),
        record_address="" if called.record is None else f"/api/v1/pairs/{pair_id}/tool-calls/{called.record.number}",
    )


def _describe_delegated(work: Delegated) -> DelegatedView:
    cost = ""
    if work.requests is None:
        cost = " · it was deleted"
    elif work.requests:
        cost = f" · {plural(work.requests, 'request')}, {describe_charge(work.spent)}"
    return DelegatedView(work.conversation_id, f"Open the conversation of {work.agent}", cost)
