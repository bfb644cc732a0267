"""Queries of sent calls: the record of what each provider call contained, which no edit or deletion changes.

    await insert_sent_calls(session, calls)         # with the first save after the start of a call, or with its end
    sent = await load_sent_call(session, owner, run_id, attempt)
    texts = await load_sent_texts(session, sent.account_id, [piece.hash for piece in sent.pieces])

A request usually begins with a whole earlier request of its conversation. Then its row refers to the row of the earlier
request and has only the pieces after it. A text is stored once per conversation and pair, and deleted with them; the
rows with hashes, roles and lengths stay.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from sqlalchemy import RowMapping, Select, TextClause, and_, bindparam, case, delete, func, select, text, update
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.damage import Damage, DamagedRowError
from app.domain.errors import NotFoundError, StoreError
from app.domain.request.hashing import Hashed
from app.domain.request.sent_pieces import HEAD, ROLES, SentPiece, WrittenPiece, check_text, write_pieces
from app.store.conversation.rows import CONVERSATION
from app.store.database.damage import a_flag, a_list, a_number, a_text, read_rows, require_row
from app.store.database.row_names import show_id
from app.store.ledger.rows_sent import SENT_CALL, SENT_TEXT

NEWEST: Final = 8
"""Number of newest places in a request where an earlier request is expected to end."""
NEWEST_TEXTS: Final = 3
"""Number of newest messages whose texts are always stored. When a message is first sent, it is one of these."""
MAX_TEXTS: Final = 500
"""Maximum number of texts that one statement loads or stores, so that other tasks run in between."""


@dataclass(frozen=True, slots=True)
class CallToRecord:
    """A provider call that has started, and whose content is not stored yet.

    `hashed` is its request; None: only the hash is known, because stored bytes are sent again.
    """

    owner: str
    conversation_id: str
    pair_id: str
    run_id: str
    attempt: int
    request_hash: str
    hashed: Hashed | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class SentCall:
    """The recorded content of a call. `account_id` is the conversation that its cost is charged to."""

    account_id: str
    request_hash: str
    pieces: tuple[SentPiece, ...]


@dataclass(frozen=True, slots=True)
class _Base:
    """An earlier call. `messages` is the number of its messages; None: only its hash is known to be equal."""

    run_id: str
    attempt: int
    messages: int | None


async def insert_sent_calls(session: AsyncSession, calls: Sequence[CallToRecord]) -> None:
    """Record what these calls contain. A call that is recorded already is skipped.

    A text is not stored if its conversation or its pair was deleted permanently since the call started, or if it
    belongs to no pair, as the draft of an exact count.
    """
    if not calls:
        return
    accounts, bases = await _find_bases(session, calls)
    # in a thread, because the texts of a long history take a while
    rows, texts = await asyncio.to_thread(_encode_calls, calls, accounts, bases)
    if rows:
        await session.execute(_insert_call(), rows)
    for start in range(0, len(texts), MAX_TEXTS):
        # SQLite keeps the last text in memory until the statement runs again. So the last row has no text, and no
        # conversation: the statement skips it.
        nothing = texts[0] | {"conversation_id": "", "text": b""}
        await session.execute(_insert_text(), [*texts[start : start + MAX_TEXTS], nothing])


async def load_sent_call(session: AsyncSession, owner: str, run_id: str, attempt: int) -> SentCall:
    """Return the recorded content of a call. Its conversation may have been deleted.

    Raises:
        NotFoundError: no content of such a call is recorded for this owner.
        DamagedRowError: the record cannot be read.
    """
    traced = (await session.execute(_trace(), {"of_run": run_id, "of_attempt": attempt})).mappings().all()
    # in a thread, because a long history has thousands of rows and pieces
    return await asyncio.to_thread(_follow, traced, owner, run_id, attempt)


async def find_attempt(session: AsyncSession, run_id: str, request_hash: str) -> int | None:
    """Return the first recorded call of a run with this request; None if there is none."""
    same = SENT_CALL.c.run_id == run_id, SENT_CALL.c.request_hash == request_hash
    return (await session.execute(select(func.min(SENT_CALL.c.attempt)).where(*same))).scalar_one()


async def load_sent_texts(session: AsyncSession, account_id: str, hashes: Iterable[str]) -> dict[str, str]:
    """Return the texts of pieces by hash, without those that were deleted or cannot be read."""
    texts, wanted = dict[str, str](), list(dict.fromkeys(hashes))
    for start in range(0, len(wanted), MAX_TEXTS):
        some = wanted[start : start + MAX_TEXTS]
        query = select(SENT_TEXT).where(SENT_TEXT.c.conversation_id == account_id, SENT_TEXT.c.hash.in_(some))
        rows = (await session.execute(query)).mappings()
        texts |= dict(read_rows(SENT_TEXT, rows, lambda row: (row["hash"], check_text(row["role"], row["text"]))))
    return texts


async def move_sent_texts(session: AsyncSession, pair_id: str, to_pair_id: str) -> None:
    """Assign the texts of a pair to another pair, which takes over the messages of the first pair."""
    await session.execute(update(SENT_TEXT).where(SENT_TEXT.c.pair_id == pair_id).values(pair_id=to_pair_id))


async def delete_sent_calls(session: AsyncSession, account_ids: Sequence[str]) -> None:
    """Delete the records of temporary conversations. The database on the disk refuses this."""
    await session.execute(delete(SENT_CALL).where(SENT_CALL.c.account_id.in_(account_ids)))


def decode_pieces(stored: Any) -> tuple[SentPiece, ...]:
    """Decode the pieces of a call."""
    return tuple(_decode(*a_list(one)) for one in a_list(stored))


async def _find_bases(
    session: AsyncSession, calls: Sequence[CallToRecord]
) -> tuple[dict[str, str], dict[tuple[str, int], _Base]]:
    """Return the account of each conversation, and for each call the longest recorded call that it begins with."""
    ends = {(call.run_id, call.attempt): _list_ends(call) for call in calls}
    named = {
        "conversations": list({call.conversation_id for call in calls}),
        "hashes": list({end for of_call in ends.values() for end in of_call}),
    }
    accounts, known = dict[str, str](), dict[tuple[str, str], tuple[str, int]]()
    for row in await session.execute(_select_bases(), named):
        accounts[row.id] = row.account_id
        if isinstance(row.run_id, str) and isinstance(row.attempt, int):
            known.setdefault((row.id, row.request_hash), (row.run_id, row.attempt))
    bases = dict[tuple[str, int], _Base]()
    for call in calls:
        key = call.run_id, call.attempt
        for end, messages in ends[key].items():
            if (found := known.get((call.conversation_id, end))) is not None and found != key:
                bases[key] = _Base(*found, messages)
        if call.hashed is None and key not in bases and (before := await _find_attempt(session, call)) is not None:
            bases[key] = _Base(call.run_id, before, None)
    return accounts, bases


async def _find_attempt(session: AsyncSession, call: CallToRecord) -> int | None:
    """Return an earlier attempt of the same call, for a retry whose conversation was deleted permanently meanwhile."""
    same = SENT_CALL.c.run_id == call.run_id, SENT_CALL.c.request_hash == call.request_hash
    query = select(func.max(SENT_CALL.c.attempt)).where(*same, SENT_CALL.c.attempt < call.attempt)
    return (await session.execute(query)).scalar_one()


def _list_ends(call: CallToRecord) -> dict[str, int | None]:
    """Return the hashes of the newest places in a request, each with the number of messages up to it."""
    if call.hashed is None:
        return {call.request_hash: None}
    hashes = call.hashed.hashes
    return {hashes[count]: count for count in range(max(0, len(hashes) - NEWEST), len(hashes))}


def _encode_calls(
    calls: Sequence[CallToRecord], accounts: Mapping[str, str], bases: Mapping[tuple[str, int], _Base]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of these calls, and the rows of their texts that may not be stored yet."""
    rows, texts = list[dict[str, Any]](), list[dict[str, Any]]()
    for call in calls:
        account, base = accounts.get(call.conversation_id, call.conversation_id), bases.get((call.run_id, call.attempt))
        if call.hashed is not None or base is not None:
            row, its_texts = _encode_call(call, account, base)
            rows.append(row)
            texts += its_texts
    return rows, texts


def _encode_call(call: CallToRecord, account: str, base: _Base | None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the row of a call, and the rows of its texts.

    The texts of the newest messages are included even if the earlier call `base` has these messages: their texts may
    have been deleted with their pairs.
    """
    written, own = list[WrittenPiece](), list[WrittenPiece]()
    if call.hashed is not None:
        request, shared = call.hashed.request, None if base is None else base.messages
        since = None if shared is None else min(shared, max(0, len(request.messages) - NEWEST_TEXTS))
        written = list(write_pieces(request, since))
        own = written[(shared or 0) - (since or 0) :]
    of_call = {"run_id": call.run_id, "attempt": call.attempt, "owner": call.owner}
    row = of_call | {
        "account_id": account,
        "request_hash": call.request_hash,
        "base_run_id": None if base is None else base.run_id,
        "base_attempt": None if base is None else base.attempt,
        "pieces": [_encode(one.piece) for one in own],
    }
    of_text = of_call | {"conversation_id": account}
    texts = [of_text | {"number": number} | _encode_text(one, call.pair_id) for number, one in enumerate(written)]
    return row, texts


def _follow(traced: Sequence[RowMapping], owner: str, run_id: str, attempt: int) -> SentCall:
    """Return the content of a call from its row and the rows that it refers to. Otherwise like `load_sent_call`."""
    rows = {(row["run_id"], row["attempt"]): row for row in traced}
    sent = rows.get((run_id, attempt))
    if sent is None or sent["owner"] != owner:
        raise NotFoundError("recorded call of run", run_id)
    place: tuple[Any, Any] = run_id, attempt
    chain = list[tuple[SentPiece, ...]]()
    while (row := rows.pop(place, None)) is not None:
        chain.append(require_row(SENT_CALL, row, lambda row: decode_pieces(row["pieces"])))
        place = row["base_run_id"], row["base_attempt"]
    if place != (None, None):
        reason = "it refers to a sent_call that does not exist"
        raise DamagedRowError(Damage(SENT_CALL.name, show_id(run_id), "base_run_id", reason, 0))
    pieces = tuple(piece for own in reversed(chain) for piece in own)
    return SentCall(sent["account_id"], sent["request_hash"], pieces)


def _encode(piece: SentPiece) -> list[Any]:
    return [piece.role, piece.hash, piece.length, piece.has_tool_calls]


def _decode(role: Any, sha256: Any, length: Any, has_tool_calls: Any) -> SentPiece:
    if role not in ROLES:
        raise StoreError("it has a piece with an unknown role")
    return SentPiece(role, a_text(sha256), a_number(length), a_flag(has_tool_calls))


def _encode_text(written: WrittenPiece, pair_id: str) -> dict[str, Any]:
    """Return the columns of a text, which is in UTF-8. A message without a pair belongs to the pair of the call."""
    piece = written.piece
    of_pair = None if piece.role in HEAD else written.pair_id or pair_id
    return {"pair_id": of_pair, "role": piece.role, "hash": piece.hash, "text": written.text}


@cache
def _select_bases() -> Select[Any, Any, Any, Any, Any]:
    is_child = and_(CONVERSATION.c.kind == ConversationKind.TOOL, CONVERSATION.c.parent_id.is_not(None))
    account = case((is_child, CONVERSATION.c.parent_id), else_=CONVERSATION.c.id)
    begins = and_(SENT_CALL.c.account_id == account, SENT_CALL.c.request_hash.in_(bindparam("hashes", expanding=True)))
    return (
        select(
            CONVERSATION.c.id,
            account.label("account_id"),
            SENT_CALL.c.request_hash,
            SENT_CALL.c.run_id,
            SENT_CALL.c.attempt,
        )
        .select_from(CONVERSATION.outerjoin(SENT_CALL, begins))
        .where(CONVERSATION.c.id.in_(bindparam("conversations", expanding=True)))
    )


@cache
def _insert_call() -> Insert:
    return insert(SENT_CALL).on_conflict_do_nothing()


@cache
def _insert_text() -> TextClause:
    return text(
        "INSERT OR IGNORE INTO sent_text (run_id, attempt, number, owner, conversation_id, pair_id, role, hash, text) "
        "SELECT :run_id, :attempt, :number, :owner, :conversation_id, :pair_id, :role, :hash, CAST(:text AS TEXT) "
        "WHERE EXISTS (SELECT 1 FROM conversation WHERE id = :conversation_id) "
        "AND (:pair_id IS NULL OR EXISTS (SELECT 1 FROM pair WHERE id = :pair_id)) "
        "AND NOT EXISTS (SELECT 1 FROM sent_text "
        "WHERE conversation_id = :conversation_id AND hash = :hash AND pair_id IS :pair_id)"
    )


@cache
def _trace() -> Select[Any]:
    """Build the query for the row of a call, followed by its base, the base of this one, and so on."""
    start = and_(SENT_CALL.c.run_id == bindparam("of_run"), SENT_CALL.c.attempt == bindparam("of_attempt"))
    chain = select(SENT_CALL).where(start).cte("chain", recursive=True)
    before = and_(SENT_CALL.c.run_id == chain.c.base_run_id, SENT_CALL.c.attempt == chain.c.base_attempt)
    # unlike UNION ALL, UNION ends if damaged rows refer to each other in a circle
    return select(chain.union(select(SENT_CALL).join(chain, before)))
