"""The images and files of an export: all that its messages and tool calls name, as far as they fit into the file.

    luggage = await pack(session, owner, named, room=40_000_000)
    luggage.left_out                                   # "2 images and files (120.0 MiB)", or ""
    async for written in luggage.write(session): ...   # JSON objects, with the bytes in base64

The limit is the same as for an import: a larger file could not be imported again.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from app.store.attachments.attachments import load_attachment, measure_attachments
from app.views.encode import to_json


@dataclass(frozen=True, slots=True)
class Luggage:
    """The images and files of an export, by their `ids`.

    `left_out` describes the attachments that do not fit; "" if all fit.
    """

    owner: str
    ids: tuple[str, ...]
    left_out: str

    async def write(self, session: AsyncSession) -> AsyncIterator[bytes]:
        """Yield each attachment as a JSON object. They are loaded one by one, because together they may be large."""
        for attachment_id in self.ids:
            one = await load_attachment(session, self.owner, attachment_id)
            data = b64encode(one.data).decode()
            yield to_json({"id": one.id, "media_type": one.media_type, "name": one.name, "data_base64": data})


async def pack(session: AsyncSession, owner: str, named: Iterable[str], room: int) -> Luggage:
    """Choose the images and files that the export file will contain.

    The attachments are tried in the order of `named`. Each one that fits into the rest of `room`, in bytes, is chosen.
    """
    sizes = await measure_attachments(session, owner, tuple(dict.fromkeys(named)))
    taken: list[str] = []
    left: list[int] = []
    for attachment_id, size in sizes.items():
        needed = (size + 2) // 3 * 4 + 500
        if needed <= room:
            room -= needed
            taken.append(attachment_id)
        else:
            left.append(size)
    many = f"{len(left)} image{'s' if len(left) > 1 else ''} or file{'s' if len(left) > 1 else ''}"
    return Luggage(owner, tuple(taken), f"{many} ({sum(left) / 2**20:.1f} MiB)" if left else "")
