"""An upload as answered: a file for a message that is not sent yet."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.uploads import Upload, UploadKind


@dataclass(frozen=True, slots=True)
class UploadView:
    """A file that is kept. `id` is what a send names it by: the SHA-256 of the bytes as they are kept.

    `size` is in bytes, `width` and `height` are pixels (0 for a text). `full_width` and `full_height` are those that a
    picture came with, before it was scaled down. Of a PDF, `pages` says how many it has (else 0) and `textless_pages`
    how many of them have no text. `other_id` is the same document in its other form: of a `file` its text by page, of
    that `text` the file; empty if it can be sent in this form only.
    """

    id: str
    kind: UploadKind
    name: str
    media_type: str
    size: int
    width: int
    height: int
    full_width: int
    full_height: int
    pages: int = 0
    textless_pages: int = 0
    other_id: str = ""


def describe_upload(upload: Upload) -> UploadView:
    """The upload as answered."""
    kept, document = upload.attachment, upload.document
    return UploadView(
        id=kept.id,
        kind=upload.kind,
        name=kept.name,
        media_type=kept.media_type,
        size=len(kept.data),
        width=upload.width,
        height=upload.height,
        full_width=upload.full_width,
        full_height=upload.full_height,
        pages=document.pages if document else 0,
        textless_pages=document.textless if document else 0,
        other_id=document.other_id if document else "",
    )
