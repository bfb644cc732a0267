"""Routes of attachments: upload a file for a future message, and read one safely.

No attachment can run a script or load anything in a browser. The browser shows only raster pictures, with the media
type that Inview detects from the bytes, and saves all other files. The address contains the hash of the bytes, so the
answer to an address never changes.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from app.api.http.access import Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.negotiation import ANYTHING, ReadsJson, offers
from app.api.http.patterns import SHA256, UPLOAD_ID
from app.api.http.problems import ApiProblemError
from app.domain.attachments.attachments import look_at
from app.runs.app_context import current
from app.runs.attachments.uploads import attach_file, drop_upload
from app.runs.temporary.temporary import find_attachment
from app.views.attachments.upload import UploadView, describe_upload

router = APIRouter(prefix="/attachments", tags=["attachments"])

AttachmentId = Annotated[str, Path(pattern=SHA256, description="The SHA-256 of the bytes, in hex.")]
UploadId = Annotated[
    str, Path(alias="attachment_id", pattern=UPLOAD_ID, description="The `upload_id`, or the SHA-256 of the bytes.")
]

BYTES = "application/octet-stream"


async def _require_bytes(request: Request) -> None:
    """Refuse a body without the content type `BYTES` (415).

    A browser lets a page of another site send this type only with permission, and Inview gives none.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != BYTES:
        raise ApiProblemError("unsupported-media-type", f"Send the file itself with Content-Type: {BYTES}.")


POLICY = "default-src 'none'; sandbox"


@router.post(
    "",
    summary="Upload an image or a file for a later message",
    description="The body is the file. Inview detects its type from the bytes: a picture (PNG, JPEG, WebP, GIF) or a "
    "text, such as code or CSV. It encodes a picture again: upright, at most 2,576 pixels long and without "
    "metadata. Send the `upload_id` as one of the `attachments` of a send. Inview keeps an upload for a "
    "week, or until it, or the message that uses it, is deleted permanently. A message keeps what it uses of "
    "an upload.",
    status_code=201,
    dependencies=[ReadsJson, Depends(_require_bytes)],
    responses=says(UploadView, *WITH_BODY, status=201, description="The stored upload."),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {BYTES: {"schema": {"type": "string", "format": "binary", "minLength": 1}}},
        }
    },
)
async def upload(
    owner: Owner,
    request: Request,
    *,
    name: Annotated[str, Query(max_length=1_000, description="The name of the file.")] = "",
    temporary: Annotated[
        bool, Query(description="Whether the upload is for a temporary conversation and is never written to the disk.")
    ] = False,
) -> Response:
    kept = await attach_file(current(), owner, await request.body(), name, temporary=temporary)
    return answer(describe_upload(kept), 201, {"Location": f"/api/v1/attachments/{kept.attachment.id}"})


@router.delete(
    "/{attachment_id}",
    summary="Delete an upload that no message will use",
    description="Messages that use the upload keep its content.",
    status_code=204,
    response_class=Response,
    responses=fails("not-found"),
)
async def drop(owner: Owner, upload_id: UploadId) -> Response:
    await drop_upload(current(), owner, upload_id)
    return Response(status_code=204)


@router.get(
    "/{attachment_id}",
    summary="Download an image or a file",
    description="Pictures (PNG, JPEG, GIF, WebP, detected from the bytes) have their own media type. Everything "
    "else is a download of type `application/octet-stream`.",
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
