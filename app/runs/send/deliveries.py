"""Deliveries: a page that lost the answer to a send repeats it with the same id, so that no text is sent twice.

    send = PageSend(token, "abc-1")
    conversation_id = await find_delivery(ctx, LOCAL_OWNER, send)       # "": it was not delivered
    alongside = record_delivery(LOCAL_OWNER, send, conversation_id)
    await send_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello", alongside=alongside))

The delivery is stored in the transaction that stores the text. So it is known after a crash if and only if the text was
stored.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import ConflictError
from app.runs.app_context import AppContext
from app.runs.runtime.ids import now
from app.runs.send.send_request import Alongside
from app.store.run.deliveries import insert_delivery, load_delivery


@dataclass(frozen=True, slots=True)
class PageSend:
    """A send of a page: the token of the tab, and the id that the tab gave to the send.

    A repeated send has the same token and id.
    """

    token: str
    send_id: str


class DeliveredError(ConflictError):
    """The send was delivered to this conversation before."""

    def __init__(self, conversation_id: str) -> None:
        super().__init__("This message was sent before.")
        self.conversation_id = conversation_id


async def find_delivery(ctx: AppContext, owner: str, send: PageSend) -> str:
    """Return the conversation that this send was delivered to, also a temporary one; "" if it was not delivered."""
    for one in (ctx, ctx.temporary.ctx):
        if one is None:
            continue
        async with one.store.read() as session:
            if found := await load_delivery(session, owner, send.token, send.send_id):
                return found
    return ""


def record_delivery(owner: str, send: PageSend, conversation_id: str) -> Alongside:
    """Return a function that stores the delivery, for the transaction that stores the text of the send.

    The function raises DeliveredError if the send was delivered meanwhile. Then nothing is stored or sent.
    """

    async def record(session: AsyncSession) -> None:
        if found := await load_delivery(session, owner, send.token, send.send_id):
            raise DeliveredError(found)
        await insert_delivery(session, owner, send.token, send.send_id, conversation_id, now())

    return record
