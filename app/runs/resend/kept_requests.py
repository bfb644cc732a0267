"""Sending a failed request again as it was: byte for byte what left then, whatever has changed since.

    again = await resend_as_it_was(wb, LOCAL_OWNER, pair_id, later=Later.KEEP)

Not for a pair that succeeded: of that only the hash is kept (`resend.py` sends it anew, from what is in view).
"""

from __future__ import annotations

from app.domain.conversation.parts import plain_text
from app.domain.errors import (
    ConflictError,
    InputError,
    NoKeyError,
    NotFoundError,
)
from app.domain.privacy.redaction import redact_text
from app.providers.base import WireRequest
from app.runs.process.shielded import shielded
from app.runs.resend.in_place import Going, Resent, send_in_place
from app.runs.resend.resend import NOTHING_SEEN, Later, Seen, require_seen
from app.runs.usage.budgets import require_budgets_for
from app.runs.workbench import Workbench
from app.store.conversation import pairs
from app.store.conversation.conversations import load_conversation
from app.store.ledger.ledger import load_request_tokens
from app.store.run.runs import load_run, load_sent_with
from app.store.run.snapshots import Snapshot, load_snapshot
from app.store.run.toolsets import load_sent_tools
from app.store.settings.preferences import load_preferences


@shielded
async def resend_as_it_was(
    wb: Workbench, owner: str, pair_id: str, *, later: Later | None = None, seen: Seen = NOTHING_SEEN
) -> Resent:
    """Send the kept request of a pair again, in its place.

    Raises:
        NotFoundError: no such pair of this owner, or the request of what stands there is not kept.
        PairChangedError: it is not what was `seen`.
        LaterPairsError: pairs stand after it, and `later` does not say what becomes of them, or not of so many.
        InputError: it is to branch, which would be another conversation's request.
        ConflictError: its provider has another address now than the one it went to, or it holds secrets.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        BudgetSpentError: it would go beyond a budget of money.
        NoKeyError: the provider lacks its key.
    """
    if later is Later.BRANCH:
        raise InputError("later", "cannot be branch: what was sent then holds this conversation. Keep or discard.")
    async with wb.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        kept = await load_snapshot(session, owner, pair_id)
        if kept.run_id != pair.run_id:
            raise NotFoundError("snapshot of what stands in pair", pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
        sent = (await load_run(session, owner, kept.run_id)).sent
        told = await load_sent_tools(session, kept.run_id)
        beside = await load_sent_with(session, kept.run_id)
        provider, _ = await wb.catalogue.find(session, owner, kept.model)
        conversation = await load_conversation(session, owner, pair.conversation_id)
        tokens = await load_request_tokens(session, owner, kept.run_id)
    require_seen(pair, after, later, seen)
    if not provider.ready:
        raise NoKeyError(provider.name)
    if not kept.url.startswith(f"{provider.base_url}/"):
        raise ConflictError(
            f"It was sent to {kept.url}, and {provider.row.label} is at {provider.base_url} now. "
            "Send it as it would be now, or set the address back in Settings → Providers."
        )
    await _require_kept_back(wb, owner, kept)
    await require_budgets_for(
        wb, conversation, kept.model, tokens or 1
    )  # of one nobody counted, something is asked for
    going = Going(
        provider,
        _read_wire(kept),
        kept.content_hash,
        sent,
        told=told,
        sent_with=beside,
        retry_policy=conversation.retry_policy,
    )
    gone = after if later is Later.DISCARD else ()
    return await send_in_place(wb, owner, pair, plain_text(pair.request.parts), going, pair, gone)


async def _require_kept_back(wb: Workbench, owner: str, kept: Snapshot) -> None:
    """Refuse to send a secret as it is, once secrets are to be replaced."""
    async with wb.store.read() as session:
        redact = (await load_preferences(session, owner)).redact
    if redact and (kinds := redact_text(kept.body.decode(errors="replace")).kinds):
        raise ConflictError(
            f"What was sent then holds secrets ({', '.join(sorted(set(kinds)))}), which are replaced since. "
            "Send it as it would be now, or switch that off in Settings → Privacy."
        )


def _read_wire(kept: Snapshot) -> WireRequest:
    """The request as it left; its key stands there masked, as in every request, and is filled in when it leaves."""
    return WireRequest(kept.model, "POST", kept.url, kept.headers, kept.body)
