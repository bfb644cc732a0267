"""The bytes that a request needs besides its words: those of the images and files it names.

    attachments = await load_named(wb.store, owner, view)
    plan = await plan_send(view, profile, provider, attachments=attachments)

Where nothing is named, which is nearly always, nothing is asked of the database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from app.domain.attachments import list_named
from app.domain.context import View
from app.domain.parts import Part, Text
from app.domain.request import Request
from app.providers.base import Attachments
from app.store.attachments import load_attachments
from app.store.database import Store

NO_ATTACHMENTS: Mapping[str, bytes] = MappingProxyType({})


async def load_named(store: Store, owner: str, content: View | Request) -> Attachments:
    """The bytes of what a view or a request names, as far as they are there."""
    messages = _messages_of(content)
    named = {one for parts in messages if not _is_one_text(parts) for one in list_named(parts)}
    if not named:
        return NO_ATTACHMENTS
    async with store.read() as session:
        return await load_attachments(session, owner, named)


def _messages_of(content: View | Request) -> Iterator[tuple[Part, ...]]:
    if isinstance(content, Request):
        yield from (message.parts for message in content.messages)
        return
    yield content.draft
    for pair in content.pairs:
        yield pair.request.parts
        if pair.reply is not None:
            yield pair.reply.parts


def _is_one_text(parts: tuple[Part, ...]) -> bool:
    return len(parts) == 1 and isinstance(parts[0], Text)
