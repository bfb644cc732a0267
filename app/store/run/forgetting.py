"""The one way in which text leaves the record of calls: with a pair that is deleted for good.

    await forget_pairs(session, pair_ids)       # in the transaction that deletes them

A piece that has words of such a pair is deleted, and noted as forgotten (`domain/request/forgotten_words.py` finds it).
All else that would delete one is refused by the database.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any, Final, cast

import orjson
from sqlalchemy import ColumnElement, and_, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.request.forgotten_words import find_words, has_short, has_words
from app.store.conversation.rows import MESSAGE
from app.store.database.upsert import insert_if_new
from app.store.run.rows_sent import FORGOTTEN_PIECE, SENT_PIECE

_NAMES: Final = frozenset({"type", "tool_call_id", "name", "media_type", "attachment_id", "signature", "encrypted"})
"""Fields of parts that hold no words."""
_MEDIA: Final = frozenset({"image", "file", "attachment"})
_IN_MEDIA: Final = "base64"
"""What all protocols write before the bytes of pictures and files: all of these are forgotten with the pair of one."""


async def forget_pairs(session: AsyncSession, pair_ids: Sequence[str]) -> None:
    """Delete the pieces that have words of these pairs, which are about to be deleted for good."""
    said = await _read_texts(session, MESSAGE.c.pair_id.in_(pair_ids))
    for conversation_id, texts in said.items():
        kept: set[str] = set()
        if has_short(texts):
            others = or_(MESSAGE.c.pair_id.is_(None), MESSAGE.c.pair_id.not_in(pair_ids))
            of_it = await _read_texts(session, and_(MESSAGE.c.conversation_id == conversation_id, others))
            kept = of_it.get(conversation_id, kept)
        words, media = find_words(texts - {_IN_MEDIA}, kept), _IN_MEDIA in texts
        async for digest, piece in _read_pieces(session, conversation_id):
            if has_words(words, piece) or (media and _IN_MEDIA.encode() in piece):
                await _forget(session, conversation_id, digest)


async def _read_texts(session: AsyncSession, which: ColumnElement[bool]) -> dict[str, set[str]]:
    """The texts of these messages, by conversation."""
    texts: dict[str, set[str]] = {}
    for conversation_id, parts in await session.execute(
        select(MESSAGE.c.conversation_id, MESSAGE.c.parts).where(which)
    ):
        texts.setdefault(conversation_id, set()).update(_find_texts(parts))
    return texts


async def _forget(session: AsyncSession, conversation_id: str, digest: bytes) -> None:
    noted = {"conversation_id": conversation_id, "sha256": digest}
    await session.execute(insert_if_new(FORGOTTEN_PIECE), noted)  # without it the database refuses to delete the piece
    gone = (SENT_PIECE.c.conversation_id == conversation_id, SENT_PIECE.c.sha256 == digest)
    await session.execute(delete(SENT_PIECE).where(*gone))


async def _read_pieces(session: AsyncSession, conversation_id: str) -> AsyncGenerator[tuple[bytes, bytes], None]:
    of_it = select(SENT_PIECE.c.sha256).where(SENT_PIECE.c.conversation_id == conversation_id)
    for digest in (await session.execute(of_it)).scalars().all():
        one = select(SENT_PIECE.c.data).where(
            SENT_PIECE.c.conversation_id == conversation_id, SENT_PIECE.c.sha256 == digest
        )
        yield digest, zlib.decompress((await session.execute(one)).scalar_one())


def _find_texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _find_texts(one)
    elif isinstance(value, dict):
        part = cast("dict[str, Any]", value)
        if part.get("type") in _MEDIA:
            yield _IN_MEDIA
        if part.get("type") == "tool_call":  # some providers get the arguments as JSON, some as a text
            yield from _find_texts(_read_arguments(part["input_json"]))
        for name in part.keys() - _NAMES:
            yield from _find_texts(part[name])


def _read_arguments(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
