"""The attachments of a request: the bytes of the images and files that its messages name.

    attachments = await load_named(ctx.store, owner, view)
    plan = await plan_send(view, profile, provider, attachments=attachments)

Most requests name no attachment; then the database is not queried.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType

from app.domain.attachments.attachments import Attachment, list_named
from app.domain.context.context import View
from app.domain.conversation.parts import Part, Text
from app.domain.request.request import Request
from app.providers.base import Attachments
from app.store.attachments.attachments import load_attachments
from app.store.database.database import Store

NO_ATTACHMENTS: Mapping[str, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AttachedParts:
    """The attachments of a text that will be sent.

    - `parts`: the parts of the message that name the attachments.
    - `files`: the attachments that are new in the conversation, with their bytes.
    - `uploads`: the ids of the uploads that the message takes.
    """

    parts: tuple[Part, ...] = ()
    files: tuple[Attachment, ...] = ()
    uploads: tuple[str, ...] = ()

    @property
    def data(self) -> Attachments:
        """The bytes of the files by id."""
        return {file.id: file.data for file in self.files} if self.files else NO_ATTACHMENTS


NOTHING_ATTACHED = AttachedParts()


def write_request(text: str, attached: AttachedParts) -> tuple[Part, ...]:
    """Build the parts of a message: the text, unless it is blank, and the attachments."""
    return (Text(text), *attached.parts) if text.strip() else attached.parts


async def load_named(store: Store, owner: str, content: View | Request) -> Attachments:
    """Load the bytes of the attachments that a view or a request names. Missing or changed attachments are left out."""
    messages = _messages_of(content)
    named = {one for parts in messages if not _is_one_text(parts) for one in list_named(parts)}
    if not named:
        return NO_ATTACHMENTS
    async with store.read() as session:
        found = await load_attachments(session, owner, named)
    return await asyncio.to_thread(_keep_unchanged, found)


def _keep_unchanged(found: Attachments) -> Attachments:
    """Return the attachments whose id is still the hash of their bytes."""
    return {one: data for one, data in found.items() if sha256(data).hexdigest() == one}


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
