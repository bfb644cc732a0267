"""The attachments of the draft as the composer shows them: pure functions on frozen values."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final, Literal

from app.domain.conversation.uploads import MAX_UPLOAD_BYTES, Document, Upload, UploadKind
from app.language.translation import translate
from app.views.figures import number, plural, size

TOO_MANY: Final = "composer.too_many_files"
WAITING: Final = "composer.file_uploading"
FAILED: Final = "composer.file_failed"
_LOST: Final = "composer.upload_lost"
_TOO_LARGE: Final = "composer.file_too_large"


@dataclass(frozen=True)
class DraftFile:
    """A file of the draft, called `key` by the browser. `id` is the upload's, "" until it has arrived.

    `note` says how large it is and what was done to it, `percent` how much has arrived, `fault` why it cannot be sent.
    `address` is where a picture can be looked at. `form` says how a PDF is sent; `other` is the id of its other form,
    "" if there is none.
    """

    key: str
    name: str
    id: str = ""
    image: bool = False
    note: str = ""
    address: str = ""
    percent: int = 0
    fault: str = ""
    width: int = 0
    height: int = 0
    form: Literal["", "file", "text"] = ""
    other: str = ""

    @property
    def arrived(self) -> bool:
        return bool(self.id)


def begin_file(key: str, name: str, length: int) -> DraftFile:
    """A file that is on its way."""
    return DraftFile(key, name, note=size(length))


def describe_upload(key: str, upload: Upload) -> DraftFile:
    """A file that has arrived."""
    kept = upload.attachment
    note = size(len(kept.data))
    if upload.document is not None:
        return _describe_document(key, upload, upload.document)
    if upload.kind is UploadKind.TEXT:
        return DraftFile(key, kept.name, kept.id, note=translate("composer.sent_as_text", note=note), percent=100)
    pixels = f"{number(upload.width)} × {number(upload.height)}"
    if (upload.width, upload.height) != (upload.full_width, upload.full_height):
        pixels = translate("composer.picture_scaled", pixels=pixels)
    return DraftFile(
        key,
        kept.name,
        kept.id,
        image=True,
        note=f"{note} · {pixels}",
        address=f"/api/v1/attachments/{kept.id}",
        percent=100,
        width=upload.width,
        height=upload.height,
    )


def _describe_document(key: str, upload: Upload, document: Document) -> DraftFile:
    kept, as_file = upload.attachment, upload.kind is UploadKind.FILE
    note = f"{plural(document.pages, 'page')} · {size(len(kept.data))}"
    note = translate("composer.sent_as_the_file" if as_file else "composer.pdf_as_text", note=note)
    if document.textless:
        note += " · " + translate(
            "composer.of_them_without_text", count=document.textless, pages=number(document.pages)
        )
    form = "file" if as_file else "text"
    return DraftFile(key, kept.name, kept.id, note=note, percent=100, form=form, other=document.other_id)


def fail_file(file: DraftFile, fault: str) -> DraftFile:
    """A file that could not be attached."""
    return replace(file, fault=fault, percent=0)


def ids_of(files: tuple[DraftFile, ...]) -> tuple[str, ...]:
    """The uploads that go with the draft."""
    return tuple(file.id for file in files if file.id)


def refuse_to_send(files: tuple[DraftFile, ...]) -> str:
    """Why these files cannot be sent now; "" if they can."""
    if any(file.fault for file in files):
        return translate(FAILED)
    return "" if all(file.arrived for file in files) else translate(WAITING)


def read_answer(status: int, body: str) -> tuple[str, str]:
    """The upload's id and why there is none, from what the server answered. Status 0: it did not.

    >>> read_answer(413, "")
    ('', 'It is larger than 20 MB.')
    """
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return "", translate(_TOO_LARGE, value=MAX_UPLOAD_BYTES // 2**20)
    try:
        said: Any = json.loads(body)
        if status == HTTPStatus.CREATED:
            return str(said["id"]), ""
        return "", str(said["errors"][0]["reason"])
    except (ValueError, KeyError, IndexError, TypeError):
        return "", translate(_LOST)
