"""Recovery of replies that a crash interrupted: an open page may show more of their text than was stored.

    await recover(ctx, LOCAL_OWNER, run_id, (ShownPart("text", "…"),))

The longer text is stored if it begins with the stored text. No provider is called, so the ledger and the accounting
nodes do not change. The ledger already has a row for the interrupted call, with the usage that the provider reported
before the crash.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from app.domain.audit import AuditAction
from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.errors import NotFoundError
from app.domain.run.recovery import RecoveryRefusedError, ShownPart, recover_reply
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.runtime.event_bus import ComparisonChanged, PairsChanged
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import load_pair
from app.store.run.ends import replace_reply
from app.store.run.stored_runs import load_run
from app.store.tools.permissions import find_root

log = structlog.get_logger()


@shielded
async def recover(ctx: AppContext, owner: str, run_id: str, shown: Sequence[ShownPart]) -> bool:
    """Store text of an interrupted reply that a page shows and the database lacks. Return False if the text is refused.

    A refusal is logged.

    Raises:
        StoreError: the database cannot be used.
    """
    try:
        pair, shown_in = await _store(ctx, owner, run_id, shown)
    except (RecoveryRefusedError, NotFoundError) as refusal:
        log.info("the text of a reply that an open page sent back was refused", run_id=run_id, reason=str(refusal))
        return False
    log.info("an open page sent back the unstored end of a reply", run_id=run_id, pair_id=pair.id)
    ctx.event_bus.publish(owner, pair.conversation_id, PairsChanged((pair.id,)))
    if shown_in != pair.conversation_id:
        ctx.event_bus.publish(owner, shown_in, ComparisonChanged())
    return True


async def _store(ctx: AppContext, owner: str, run_id: str, shown: Sequence[ShownPart]) -> tuple[Pair, str]:
    """Read the stored reply and replace it in one transaction, so that two pages cannot overwrite each other's text.

    Return the pair with the old reply, and the id of the conversation whose page shows the pair: for a compared reply,
    the parent conversation.
    """
    at = now()
    async with ctx.store.write() as session:
        run = await load_run(session, owner, run_id)
        pair = await load_pair(session, owner, run.place.pair_id)
        if pair.run_id != run_id or pair.reply is None or pair.reply.id != run.place.reply_id:
            raise RecoveryRefusedError("The pair shows another version now.")
        recovered = recover_reply(run.state, shown)
        revision = await next_revision(session, pair.conversation_id, at)
        # The reply gets a new message id, because stored counts and index entries of the shorter text refer to the old
        # id.
        reply = Message(new_id(), Role.ASSISTANT, recovered.parts, pair.reply.created_at)
        await replace_reply(session, run.place, reply, recovered, revision, at)
        await audit(session, owner, pair.conversation_id, AuditAction.CHANGED, subject=pair.id, what="reply recovered")
        is_compared = run.purpose == "comparison"
        shown_in = await find_root(session, pair.conversation_id) if is_compared else pair.conversation_id
    return pair, shown_in
