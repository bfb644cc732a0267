"""The bytes of attachments over HTTP, as harmless as they can be made.

Whatever they hold, they run nothing and reach nothing: a browser shows only raster pictures, as what their bytes are,
and saves all else. The address names the bytes by their hash, so that an answer never changes.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path
from starlette.responses import Response

from app.api.access import Owner
from app.api.answers import fails
from app.api.negotiation import ANYTHING, offers
from app.api.patterns import SHA256
from app.domain.attachments import look_at
from app.runs.temporary import find_attachment
from app.runs.workbench import current

router = APIRouter(prefix="/attachments", tags=["attachments"])

AttachmentId = Annotated[str, Path(pattern=SHA256, description="The SHA-256 of the bytes, in hex.")]

POLICY = "default-src 'none'; sandbox"


@router.get(
    "/{attachment_id}",
    summary="The bytes of an image or a file",
    description="Pictures (PNG, JPEG, GIF, WebP by their bytes) come as such; everything else is a file to be saved, "
    "of type `application/octet-stream`, whatever it was said to be.",
    response_class=Response,
    responses={200: {"description": "The bytes.", "content": {ANYTHING: {"schema": {"type": "string"}}}}}
    | fails("not-found"),
    dependencies=[Depends(offers(ANYTHING))],
)
async def read(owner: Owner, attachment_id: AttachmentId) -> Response:
    attachment = await find_attachment(current(), owner, attachment_id)
    picture = look_at(attachment.data)
    name = quote(attachment.name or attachment_id[:12], safe="")
    headers = {
        "Content-Disposition": "inline" if picture else f"attachment; filename*=UTF-8''{name}",
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=31536000, immutable",
        "ETag": f'"{attachment_id}"',
    }
    return Response(attachment.data, 200, headers, picture.media_type if picture else "application/octet-stream")
