"""The files of a draft as the composer shows them: pure functions over frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from app.domain.attachments.uploads import MAX_ATTACHED, MAX_UPLOAD_BYTES, Upload, UploadKind
from app.state.tab.inputs import json_in
from app.views.usage.figures import number, size

TOO_MANY: Final = f"A message can have {MAX_ATTACHED} files. Remove one before you attach another."
WAITING: Final = "A file is still being uploaded. Send again when it has arrived, or remove it."
GONE: Final = "It has been removed. Attach it again."
_LOST: Final = "The upload failed. Check the connection, then attach it again."
_TOO_LARGE: Final = f"It is larger than {MAX_UPLOAD_BYTES // 2**20} MB."


@dataclass(frozen=True)
class DraftFile:
    """A file of the draft.

    - `key`: the key that the browser gave to the file.
    - `id`: the id of its upload ("" until it has arrived).
    - `bytes_id`: the id of its bytes.
    - `note`: describes its size, and any change made to it.
    - `percent`: the share that has arrived.
    - `address`: the address of an image.
    """

    key: str
    name: str
    id: str = ""
    image: bool = False
    note: str = ""
    address: str = ""
    percent: int = 0
    width: int = 0
    height: int = 0
    bytes_id: str = ""

    @property
    def arrived(self) -> bool:
        return bool(self.id)


def begin_file(key: str, name: str, length: int) -> DraftFile:
    """Return a file of the draft whose upload, of `length` bytes, has just started."""
    return DraftFile(key, name, note=size(length))


def describe_upload(key: str, upload: Upload) -> DraftFile:
    """Return a file of the draft whose upload is complete."""
    kept = upload.attachment
    note = size(len(kept.data))
    if upload.kind is UploadKind.TEXT:
        return DraftFile(key, kept.name, upload.id, note=f"{note} · sent as text", percent=100, bytes_id=kept.id)
    pixels = f"{number(upload.width)} × {number(upload.height)}"
    if (upload.width, upload.height) != (upload.full_width, upload.full_height):
        pixels = f"scaled down to {pixels}"
    return DraftFile(
        key,
        kept.name,
        upload.id,
        image=True,
        note=f"{note} · {pixels}",
        address=f"/api/v1/attachments/{kept.id}",
        percent=100,
        width=upload.width,
        height=upload.height,
        bytes_id=kept.id,
    )


def describe_replaced(name: str, newest: str) -> str:
    """Return a message that a new file replaces one with the same content, or "" if both have the same name.

    `newest` is the name of the new file.

    >>> describe_replaced("a.txt", "b.txt"), describe_replaced("a.txt", "a.txt")
    ('b.txt has the same content as a.txt and replaces it.', '')
    """
    return "" if name == newest else f"{newest} has the same content as {name} and replaces it."


def describe_refused(name: str, reason: str) -> str:
    """Return a message that a file was not attached, with the reason.

    >>> describe_refused("a.exe", "It is empty."), describe_refused("a.exe", "a.exe is empty.")
    ('a.exe is not attached. It is empty.', 'a.exe is empty.')
    """
    return reason if name in reason else f"{name} is not attached. {reason}"


def ids_of(files: tuple[DraftFile, ...]) -> tuple[str, ...]:
    """Return the ids of the uploads that are sent with the draft."""
    return tuple(file.id for file in files if file.id)


def refuse_to_send(files: tuple[DraftFile, ...]) -> str:
    """Return the reason why these files cannot be sent now, or "" if they can be sent."""
    return "" if all(file.arrived for file in files) else WAITING


def read_answer(status: int, body: str) -> tuple[str, str]:
    """Read the server's answer to an upload. Return the upload's id ("" if refused), and the reason ("" if accepted).

    Status 0 means that there was no answer.

    >>> read_answer(413, "")
    ('', 'It is larger than 20 MB.')
    """
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return "", _TOO_LARGE
    answer: Any = json_in(body)
    try:
        if status == HTTPStatus.CREATED:
            return str(answer["upload_id"]), ""
        return "", str(answer["errors"][0]["reason"])
    except (KeyError, IndexError, TypeError):
        return "", _LOST
