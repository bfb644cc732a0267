"""The record of a provider call: what it contained, and its usage and cost. No edit or deletion changes it.

    read = await read_sent_call(ctx, LOCAL_OWNER, call_id)
    read.content.messages             # None for a message whose text was deleted permanently

Not here: storing the record (`runs/engine/engine.py`, `store/ledger/sent_calls.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.costs.spending import Spent
from app.domain.request.sent_pieces import HEAD, SentContent, SentPiece, read_pieces
from app.runs.app_context import AppContext, context_for
from app.runs.usage.accounts import price_one
from app.runs.usage.prices import learn_tariffs
from app.store.ledger.ledger import EndedCall, load_call
from app.store.ledger.sent_calls import SentCall, load_sent_call, load_sent_texts


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call of the ledger with its recorded content.

    `head` are the pieces before the messages, `messages` the other pieces.
    """

    call: EndedCall
    spent: Spent
    sent: SentCall
    content: SentContent

    @property
    def head(self) -> tuple[SentPiece, ...]:
        return tuple(piece for piece in self.sent.pieces if piece.role in HEAD)

    @property
    def messages(self) -> tuple[SentPiece, ...]:
        return tuple(piece for piece in self.sent.pieces if piece.role not in HEAD)


async def read_sent_call(ctx: AppContext, owner: str, call_id: str, *, newest: int | None = None) -> ReadCall:
    """Return what a call of the ledger contained, with its usage and cost.

    `newest`: read only the texts of this number of newest messages; None: of all.

    Raises:
        NotFoundError: this owner has no such call, or its content is not recorded: an older version of Inview made it.
        DamagedRowError: the record cannot be read.
    """
    async with ctx.store.read() as session:
        call = await load_call(session, owner, call_id)
    there = await context_for(ctx, call.conversation_id, call.run_id)
    async with there.store.read() as session:
        sent = await load_sent_call(session, owner, call.run_id, call.attempt)
        first = 0 if newest is None else max(0, len(sent.pieces) - newest)
        wanted = [piece.hash for at, piece in enumerate(sent.pieces) if at >= first or piece.role in HEAD]
        texts = await load_sent_texts(session, sent.account_id, wanted)
    tariffs = await learn_tariffs(ctx, owner, {call.model})
    return ReadCall(call, price_one(call, tariffs.get(call.model)), sent, read_pieces(sent.pieces, texts))
