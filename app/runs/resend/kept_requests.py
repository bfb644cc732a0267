"""Resend of the stored request of a failed pair: byte for byte the same, whatever has changed since then.

    again = await resend_as_it_was(ctx, LOCAL_OWNER, pair_id, later=Later.KEEP)

Not here: a pair that succeeded. Only the hash of its request is stored, so `resend.py` builds a new request from the
pairs in view.
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
from app.runs.app_context import AppContext
from app.runs.resend.in_place import PlannedCall, ResendResult, send_in_place
from app.runs.resend.resend import NOTHING_SEEN, Later, Seen, require_seen
from app.runs.runtime.shielded import shielded
from app.runs.usage.budgets import require_budgets_for
from app.store.conversation import pairs
from app.store.conversation.conversations import load_conversation
from app.store.ledger.ledger import load_request_tokens
from app.store.run.runs import load_run, load_sent_with
from app.store.run.snapshots import Snapshot, load_snapshot
from app.store.run.toolsets import load_sent_tools
from app.store.settings.preferences import load_preferences


@shielded
async def resend_as_it_was(
    ctx: AppContext, owner: str, pair_id: str, *, later: Later | None = None, seen: Seen = NOTHING_SEEN
) -> ResendResult:
    """Send the stored request of a pair again; the reply replaces the pair's content.

    Raises:
        NotFoundError: this owner has no such pair, or the request for the pair's current reply is not stored.
        PairChangedError: the pair's version is not the one in `seen`.
        LaterPairsError: there are later pairs, and `later` is None or was chosen for another number of them.
        InputError: `later` is BRANCH. A stored request can be sent only in its own conversation.
        ConflictError: its provider has another address than the request, or the request has secrets.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        BudgetSpentError: the request would exceed a budget of money.
        NoKeyError: the provider lacks its key.
    """
    if later is Later.BRANCH:
        raise InputError(
            "later", "cannot be branch, because the stored request belongs to this conversation. Use keep or discard."
        )
    async with ctx.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        kept = await load_snapshot(session, owner, pair_id)
        if kept.run_id != pair.run_id:
            raise NotFoundError("stored request of pair", pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
        sent = (await load_run(session, owner, kept.run_id)).sent
        tools = await load_sent_tools(session, kept.run_id)
        beside = await load_sent_with(session, kept.run_id)
        provider, _ = await ctx.catalogue.find(session, owner, kept.model)
        conversation = await load_conversation(session, owner, pair.conversation_id)
        tokens = await load_request_tokens(session, owner, kept.run_id)
    require_seen(pair, after, later, seen)
    if not provider.ready:
        raise NoKeyError(provider.name)
    if not kept.url.startswith(f"{provider.base_url}/"):
        raise ConflictError(
            f"The request was sent to {kept.url}, but {provider.row.label} is now at {provider.base_url}. Send a "
            "new request, or restore the address in Settings → Providers."
        )
    await _require_kept_back(ctx, owner, kept)
    await require_budgets_for(
        ctx, conversation, kept.model, tokens or 1
    )  # a request without a count is checked as one token
    going = PlannedCall(
        provider,
        _read_wire(kept),
        kept.content_hash,
        sent,
        tools=tools,
        sent_with=beside,
        retry_policy=conversation.retry_policy,
    )
    gone = after if later is Later.DISCARD else ()
    return await send_in_place(ctx, owner, pair, plain_text(pair.request.parts), going, pair, gone)


async def _require_kept_back(ctx: AppContext, owner: str, kept: Snapshot) -> None:
    """Refuse to send a request with unredacted secrets while redaction is on."""
    async with ctx.store.read() as session:
        redact = (await load_preferences(session, owner)).redact
    if redact and (kinds := redact_text(kept.body.decode(errors="replace")).kinds):
        raise ConflictError(
            f"The stored request contains secrets ({', '.join(sorted(set(kinds)))}), which Inview now replaces. "
            "Send a new request, or switch this off in Settings → Privacy."
        )


def _read_wire(kept: Snapshot) -> WireRequest:
    """Build the request from the snapshot. The API key in it is masked until it is sent, as in every stored request."""
    return WireRequest(kept.model, "POST", kept.url, kept.headers, kept.body)
