"""Verification: computes the content hash of a stored request again and compares it with the stored hash.

    verified = await verify_run(ctx, owner, run_id)
    verified.matches or verified.recorded is not None

The request is rebuilt from the pairs that the run recorded. A failed request is stored with its bytes, which are
compared as well. If the rebuilt request differs, the hash is computed from the record of the call, which no edit,
summary or deletion of pairs changes. Nothing is called or stored here.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from app.domain.conversation.conversation import Pair
from app.domain.conversation.damage import DamagedRowError
from app.domain.errors import InputError, NotFoundError
from app.domain.request.hashing import content_hash
from app.domain.request.request import Request
from app.domain.request.sent_pieces import SentContent, read_pieces
from app.runs.app_context import AppContext
from app.runs.request.attachments import load_named
from app.runs.request.send_plan import build_view, extras_of, plan_send
from app.store.agents.agents import find_agent
from app.store.cache.prompt_caches import load_marks
from app.store.conversation.conversations import load_conversation
from app.store.database.mapping import decode_parameters
from app.store.ledger.ledger import has_call
from app.store.ledger.sent_calls import find_attempt, load_sent_call, load_sent_texts
from app.store.run.runs import load_sent_with
from app.store.run.snapshots import load_snapshot
from app.store.run.toolsets import load_sent_tools
from app.store.run.verification import SentRequest, load_sent_from, load_sent_request


@dataclass(frozen=True, slots=True)
class Verified:
    """A stored request that was built again, for comparison.

    - `hashes`: the content hashes of the rebuilt request; empty if it could not be built.
    - `bytes_match`: True if the stored bytes equal the rebuilt ones; None if no bytes are stored.
    - `recorded`: if the rebuilt request differs, the request in the record of the call; None if no call is recorded, or
      if a recorded text was deleted or has another hash.
    - `reasons`: if the hashes differ, the changes since the send that may explain the difference.
    """

    run_id: str
    pair_id: str
    stored_hash: str
    hashes: tuple[str, ...] = ()
    request: Request | None = None
    pairs: tuple[Pair, ...] = ()
    bytes_match: bool | None = None
    recorded: Request | None = None
    reasons: tuple[str, ...] = ()

    @property
    def matches(self) -> bool:
        """True if the rebuilt request equals the stored one."""
        return bool(self.hashes) and self.hashes[-1] == self.stored_hash and self.bytes_match is not False

    @property
    def is_proven(self) -> bool:
        """True if the content of the sent request is known: it was rebuilt, or read from the record of the call."""
        return self.matches or self.recorded is not None


_NOT_RECORDED = "An older version of Inview sent this request and did not record its content."
_COPIED = "The pair is a copy. The request was sent and recorded for the original."
_TEXTS_GONE = "Texts of its record were deleted or changed."
_SOMETHING_ELSE = (
    "The agent, the system prompt, the summary before the pairs, or the known capabilities of the model have changed."
)


async def verify_run(ctx: AppContext, owner: str, run_id: str, *, in_trash: bool = False) -> Verified:
    """Build a run's request again and compare it with the stored hash and bytes, or else check its record.

    `in_trash`: the conversation may be in the trash.

    Raises:
        NotFoundError: this owner has no such run, or its conversation is in the trash.
    """
    async with ctx.store.read() as session:
        stored = await load_sent_request(session, owner, run_id)
    verified = await _verify_pairs(ctx, owner, stored, in_trash=in_trash)
    if verified.matches:
        return verified
    return replace(verified, recorded=await _read_record(ctx, owner, stored))


async def _read_record(ctx: AppContext, owner: str, stored: SentRequest) -> Request | None:
    """Return the request in the record of the run's first call, if its content hash is that of the run."""
    async with ctx.store.read() as session:
        attempt = await find_attempt(session, stored.run_id, stored.request_hash)
        if attempt is None:
            return None
        try:
            call = await load_sent_call(session, owner, stored.run_id, attempt)
        except DamagedRowError:
            return None
        texts = await load_sent_texts(session, call.account_id, [piece.hash for piece in call.pieces])
    if any(piece.hash not in texts for piece in call.pieces):
        return None
    return await asyncio.to_thread(_check_record, stored, read_pieces(call.pieces, texts))


def _check_record(stored: SentRequest, content: SentContent) -> Request | None:
    request = Request(
        stored.model,
        content.system or "",
        tuple(message for message in content.messages if message is not None),
        decode_parameters(dict(content.parameters or {})),
        content.tools or (),
    )
    return request if content_hash(request) == stored.request_hash else None


async def _verify_pairs(ctx: AppContext, owner: str, stored: SentRequest, *, in_trash: bool) -> Verified:
    """Build the request again from its pairs, and compare it with the stored hash and bytes."""
    run_id = stored.run_id
    async with ctx.store.read() as session:
        if stored.damage:
            unreadable = tuple(f"It cannot be read: {damage}." for damage in stored.damage)
            return Verified(run_id, stored.pair_id, stored.request_hash, pairs=stored.pairs, reasons=unreadable)
        load = load_sent_from if in_trash else load_conversation
        conversation = await load(session, owner, stored.conversation_id)
        try:
            snapshot = await load_snapshot(session, owner, stored.pair_id)
        except NotFoundError:
            kept = None
        else:
            kept = snapshot if snapshot.run_id == run_id else None
    verified = Verified(run_id, stored.pair_id, stored.request_hash, pairs=stored.pairs)
    if stored.sent is None:
        return replace(verified, reasons=(await _explain_no_pairs(ctx, owner, stored),))
    try:
        async with ctx.store.read() as session:
            provider, profile = await ctx.catalogue.find(session, owner, stored.model)
            marks = await load_marks(session, run_id)
            tools = await load_sent_tools(session, run_id)
            extras = extras_of(await load_sent_with(session, run_id))
            agent = await find_agent(session, owner, stored.agent_id)
        view = build_view(conversation, agent, stored.pairs, stored.draft.parts, stored.parameters, tools, extras)
        attachments = await load_named(ctx.store, owner, view)
        plan = await plan_send(view, profile, provider, caching=marks, attachments=attachments)
    except InputError as error:
        return replace(verified, reasons=(str(error),))
    as_kept = None if kept is None else kept.body == plan.wire.body and kept.url == plan.wire.url
    found = replace(verified, hashes=plan.hashes, request=plan.built.request, bytes_match=as_kept)
    if found.matches:
        return found
    return replace(found, reasons=_list_changes(stored, same_hash=plan.content_hash == stored.request_hash))


async def _explain_no_pairs(ctx: AppContext, owner: str, stored: SentRequest) -> str:
    """Explain why a run has no list of sent pairs."""
    async with ctx.store.read() as session:
        if await find_attempt(session, stored.run_id, stored.request_hash) is not None:
            return _TEXTS_GONE
        return _NOT_RECORDED if await has_call(session, owner, stored.run_id) else _COPIED


def _list_changes(stored: SentRequest, *, same_hash: bool) -> tuple[str, ...]:
    if same_hash:
        return ("The provider's address, or the way Inview writes requests for it, has changed.",)
    reasons = [f"The pair at position {position} was deleted." for position in stored.missing]
    for pair in stored.pairs:
        messages = [message for message in (pair.request, pair.reply) if message is not None]
        if any(message.created_at > stored.started_at for message in messages):
            reasons.append(f"The pair at position {pair.position} was edited or answered again after that.")
    return tuple(reasons) or (_SOMETHING_ELSE,)
