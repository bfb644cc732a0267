"""Verification: computes the content hash of a stored request again and compares it with the stored hash.

    verified = await verify_run(ctx, owner, run_id)
    verified.matches

The request is rebuilt from the pairs that the run recorded. A failed request is stored with its bytes, which are compared
as well. Nothing is called or stored here.

Not here: what an earlier call contained (`runs/usage/sent_calls.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.conversation.conversation import Pair
from app.domain.errors import InputError, NotFoundError
from app.domain.request.request import Request
from app.runs.app_context import AppContext
from app.runs.request.attachments import load_named
from app.runs.request.send_plan import build_view, extras_of, plan_send
from app.store.agents.agents import find_agent
from app.store.cache.prompt_caches import load_marks
from app.store.conversation.conversations import load_conversation
from app.store.run.runs import load_sent_with
from app.store.run.snapshots import load_snapshot
from app.store.run.toolsets import load_sent_tools
from app.store.run.verification import SentRequest, load_sent_request


@dataclass(frozen=True, slots=True)
class Verified:
    """A stored request that was built again, for comparison.

    - `hashes`: the content hashes of the rebuilt request; empty if it could not be built.
    - `bytes_match`: True if the stored bytes equal the rebuilt ones; None if no bytes are stored.
    - `reasons`: if the hashes differ, the changes since the send that may explain the difference.
    """

    run_id: str
    pair_id: str
    stored_hash: str
    hashes: tuple[str, ...] = ()
    request: Request | None = None
    pairs: tuple[Pair, ...] = ()
    bytes_match: bool | None = None
    reasons: tuple[str, ...] = ()

    @property
    def matches(self) -> bool:
        """True if the rebuilt request equals the stored one."""
        return bool(self.hashes) and self.hashes[-1] == self.stored_hash and self.bytes_match is not False


_SOMETHING_ELSE = "The agent, the system prompt, the checkpoint, or the known capabilities of the model have changed."


async def verify_run(ctx: AppContext, owner: str, run_id: str) -> Verified:
    """Build a run's request again and compare it with the stored hash and bytes.

    Raises:
        NotFoundError: this owner has no such run.
    """
    async with ctx.store.read() as session:
        stored = await load_sent_request(session, owner, run_id)
        if stored.damage:
            unreadable = tuple(f"It cannot be read: {damage}." for damage in stored.damage)
            return Verified(run_id, stored.pair_id, stored.request_hash, pairs=stored.pairs, reasons=unreadable)
        conversation = await load_conversation(session, owner, stored.conversation_id)
        try:
            snapshot = await load_snapshot(session, owner, stored.pair_id)
        except NotFoundError:
            kept = None
        else:
            kept = snapshot if snapshot.run_id == run_id else None
    verified = Verified(run_id, stored.pair_id, stored.request_hash, pairs=stored.pairs)
    if stored.sent is None:
        return replace(
            verified, reasons=("An older version of Inview sent this request and did not record its pairs.",)
        )
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


def _list_changes(stored: SentRequest, *, same_hash: bool) -> tuple[str, ...]:
    if same_hash:
        return ("The provider's address, or the way Inview writes requests for it, has changed.",)
    reasons = [f"The pair at position {position} was deleted." for position in stored.missing]
    for pair in stored.pairs:
        messages = [message for message in (pair.request, pair.reply) if message is not None]
        if any(message.created_at > stored.started_at for message in messages):
            reasons.append(f"The pair at position {pair.position} was edited or answered again after that.")
    return tuple(reasons) or (_SOMETHING_ELSE,)
