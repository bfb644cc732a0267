"""Shares: a link to a read-only copy of what is in view, drawn once, when it is made.

    prepared = await prepare_share(wb, LOCAL_OWNER, conversation_id, look, ShareChoice())    # its page is the preview
    made = await create_share(wb, LOCAL_OWNER, prepared, hours=24)
    made.path                                                   # "/s/…": said once, and stored nowhere

What is shown is that page, whatever becomes of the conversation, until the link expires, is revoked, or the
conversation is deleted.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING
from app.domain.costs.costs import NOTHING, Cost, price_pair
from app.domain.errors import ConflictError, InputError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.sharing.shares import (
    MAX_PAGE_BYTES,
    TOKEN,
    TOKEN_BYTES,
    Share,
    ShareChoice,
    count_secrets,
    hash_token,
    require_choice,
    require_hours,
    shared_title,
)
from app.runs.people.audit import note
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.send.context_selection import ViewOptions, compose_view
from app.runs.transfer.exports.exporting import HTML_PAIRS, list_pictures
from app.runs.usage.prices import learn_tariffs
from app.runs.workbench import Workbench, current
from app.store.archive import load_places
from app.store.conversation.attachments import load_attachments
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs_by_id
from app.store.organise import shares
from app.views.shared_page import SharedHead, shared_foot, shared_head, shared_pair
from app.views.transcript_html import Pictures

PREFIX: Final = "/s/"
"""The beginning of the path of every share."""


@dataclass(frozen=True, slots=True)
class PreparedShare:
    """A page that can be shared. `secrets` stand on it as marks; `running` pairs in view are not on it."""

    conversation_id: str
    title: str
    choice: ShareChoice
    page: str
    pairs: int
    secrets: int
    running: int


@dataclass(frozen=True, slots=True)
class MadeShare:
    """A share and the path of its link, which is known now and never again."""

    share: Share
    path: str


async def prepare_share(
    wb: Workbench, owner: str, conversation_id: str, view_options: ViewOptions, choice: ShareChoice
) -> PreparedShare:
    """Draw the page of what is in view for who looks like this. Nothing is stored.

    Raises:
        NotFoundError: no such conversation of this owner.
        FilterError: the filter cannot be used; it says where.
        InputError: the model, the time zone or the choice cannot be used, or the page would be too large.
        ConflictError: the conversation is temporary.
    """
    require_choice(choice)
    if wb is not current():
        raise ConflictError("A temporary conversation is not stored, so it cannot be shared. Save it first.")
    composed = None
    if view_options.filter:
        composed = await compose_view(wb, owner, conversation_id, view_options)
    async with wb.store.read() as session:
        conversation = await load_conversation(session, owner, conversation_id)
        pair_ids = [place.pair_id for place in await load_places(session, owner, conversation_id)]
        if composed is not None:
            visible = {pair.pair_id for pair in composed.composition.visible.pairs}
            pair_ids = [pair_id for pair_id in pair_ids if pair_id in visible]
        head = SharedHead(conversation.title, conversation.system_prompt, choice, now())
        pieces = [shared_head(head)]
        size, count, marks, running, total = len(pieces[0].encode()), 0, 0, 0, NOTHING
        for start in range(0, len(pair_ids), HTML_PAIRS):
            pairs = await load_pairs_by_id(session, owner, tuple(pair_ids[start : start + HTML_PAIRS]))
            over = [pair for pair in pairs if pair.lifecycle not in RUNNING]
            pictures = await load_attachments(session, owner, list_pictures(over))
            costs = await _price(wb, owner, over) if choice.cost else {}
            total = sum(costs.values(), total)
            drawn = await asyncio.to_thread(_draw, over, choice, pictures, costs)
            pieces.append(drawn.html)
            size, count = size + len(drawn.html.encode()), count + len(over)
            marks, running = marks + drawn.secrets, running + len(pairs) - len(over)
            if size > MAX_PAGE_BYTES:
                raise InputError(
                    "conversation",
                    f"comes to a page of more than {MAX_PAGE_BYTES // 1024 // 1024} MB. Filter it, and share less.",
                )
    page = "".join((*pieces, shared_foot(choice, total)))
    return PreparedShare(conversation_id, shared_title(conversation.title), choice, page, count, marks, running)


@shielded
async def create_share(wb: Workbench, owner: str, prepared: PreparedShare, hours: int) -> MadeShare:
    """Make a link to a page that was prepared.

    Raises:
        InputError: the page shows no pair, or the hours cannot be used.
        NotFoundError: the conversation has been deleted meanwhile.
    """
    require_hours(hours)
    if not prepared.pairs:
        raise InputError("conversation", "shows no pair that could be shared. Change the filter.")
    token, at = secrets.token_urlsafe(TOKEN_BYTES), now()
    share = Share(
        new_id(),
        owner,
        prepared.conversation_id,
        prepared.title,
        prepared.choice,
        prepared.pairs,
        at,
        at + timedelta(hours=hours),
    )
    page = await asyncio.to_thread(shares.compress_page, prepared.page)
    async with wb.store.write() as session:
        await load_conversation(session, owner, prepared.conversation_id)
        await shares.insert_share(session, share, hash_token(token), page)
    return MadeShare(share, PREFIX + token)


async def list_shares(wb: Workbench, owner: str, conversation_id: str | None = None) -> tuple[Share, ...]:
    """The shares of an owner, or of one conversation, that open something; the newest first."""
    async with wb.store.read() as session:
        return await shares.load_shares(session, owner, now(), conversation_id)


@shielded
async def revoke_share(wb: Workbench, owner: str, share_id: str) -> None:
    """Delete a share: its link opens nothing any more, and its page is gone.

    Raises:
        NotFoundError: no such share of this owner.
    """
    async with wb.store.write() as session:
        await shares.delete_share(session, owner, share_id)


async def open_share(wb: Workbench, token: str, *, counted: bool) -> bytes | None:
    """The page of a link, None if it opens nothing. `counted`: it is one view more."""
    if not TOKEN.fullmatch(token):
        return None
    async with wb.store.read() as session:
        found = await shares.load_page(session, hash_token(token), now())
    if found is None:
        return None
    share_id, page = found
    if counted:
        note(AuditAction.SHARE_VIEWED, ObjectKind.SHARE, share_id)
        async with wb.store.write() as session:
            await shares.count_view(session, share_id)
    return await asyncio.to_thread(shares.decompress_page, page)


@dataclass(frozen=True, slots=True)
class _Drawn:
    html: str
    secrets: int


async def _price(wb: Workbench, owner: str, pairs: Sequence[Pair]) -> dict[str, Cost]:
    """What the replies of these pairs cost, by pair."""
    tariffs = await learn_tariffs(wb, owner, {pair.model for pair in pairs})
    return {pair.id: price_pair(pair, tariffs.get(pair.model)) for pair in pairs}


def _draw(pairs: Sequence[Pair], choice: ShareChoice, pictures: Pictures, costs: Mapping[str, Cost]) -> _Drawn:
    html = "".join(shared_pair(pair, choice, pictures, costs.get(pair.id, NOTHING)) for pair in pairs)
    return _Drawn(html, sum(count_secrets(pair, choice) for pair in pairs))
