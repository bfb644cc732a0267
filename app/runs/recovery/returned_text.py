"""Extends a reply that a crash cut off by the text that an open page still shows.

await recover(wb, LOCAL_OWNER, run_id, (ShownPart("text", "…"),))

The longest text wins: each time what is stored must be the beginning of what is given back. No call was made for it, so
the ledger and the accounting nodes stay as they are: what the interrupted call used is in its row, or "at least".
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.errors import NotFoundError
from app.domain.run.returned_text import RecoveryRefusedError, ShownPart, recover_reply
from app.runs.process.event_bus import ComparisonChanged, PairsChanged
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import load_pair
from app.store.run.runs import load_run, replace_reply
from app.store.tools.permissions import find_root

log = structlog.get_logger()


@shielded
async def recover(wb: Workbench, owner: str, run_id: str, shown: Sequence[ShownPart]) -> bool:
    """Store what a page shows of an interrupted reply and the database has not; False, and a line in the log: refused.

    Raises:
        StoreError: the database cannot be used.
    """
    try:
        pair, shown_in = await _store(wb, owner, run_id, shown)
    except (RecoveryRefusedError, NotFoundError) as refusal:
        log.info("what an open page gave back of a reply was not taken", run_id=run_id, reason=str(refusal))
        return False
    log.info("an open page gave back what was not stored of a reply", run_id=run_id, pair_id=pair.id)
    wb.event_bus.publish(owner, pair.conversation_id, PairsChanged((pair.id,)))
    if shown_in != pair.conversation_id:
        wb.event_bus.publish(owner, shown_in, ComparisonChanged())
    return True


async def _store(wb: Workbench, owner: str, run_id: str, shown: Sequence[ShownPart]) -> tuple[Pair, str]:
    """Store it in one transaction, so that of two pages each sees what the other gave back.

    Returns the pair as it was, and the conversation that shows it: of a compared reply the one that asked for it.
    """
    at = now()
    async with wb.store.write() as session:
        run = await load_run(session, owner, run_id)
        pair = await load_pair(session, owner, run.place.pair_id)
        if pair.run_id != run_id or pair.reply is None or pair.reply.id != run.place.reply_id:
            raise RecoveryRefusedError("Another version stands in its pair now.")
        recovered = recover_reply(run.state, shown)
        revision = await next_revision(session, pair.conversation_id, at)
        # A new message: what was counted and indexed of the shorter one names that.
        reply = Message(new_id(), Role.ASSISTANT, recovered.parts, pair.reply.created_at)
        await replace_reply(session, run.place, reply, recovered, revision, at)
        is_compared = run.purpose == "comparison"
        shown_in = await find_root(session, pair.conversation_id) if is_compared else pair.conversation_id
    return pair, shown_in
