"""The view of an upload: a file that is stored for a later message."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.attachments.uploads import Upload, UploadKind


@dataclass(frozen=True, slots=True)
class UploadView:
    """A stored file. A send accepts both of its ids.

    - `id`: the SHA-256 of the stored bytes. With it, the sent file has the name under which these bytes were uploaded
      last.
    - `upload_id`: the id of this upload. With it, the sent file has this `name`.
    - `size`: in bytes.
    - `width`, `height`: in pixels; 0 for a text.
    - `full_width`, `full_height`: the size of the uploaded picture, before it was scaled down.
    """

    id: str
    upload_id: str
    kind: UploadKind
    name: str
    media_type: str
    size: int
    width: int
    height: int
    full_width: int
    full_height: int


def describe_upload(upload: Upload) -> UploadView:
    """Convert an upload to the form that the HTTP API returns."""
    kept = upload.attachment
    return UploadView(
        id=kept.id,
        upload_id=upload.id,
        kind=upload.kind,
        name=kept.name,
        media_type=kept.media_type,
        size=len(kept.data),
        width=upload.width,
        height=upload.height,
        full_width=upload.full_width,
        full_height=upload.full_height,
    )
