"""Attachments of the draft: the progress and the result of uploads, and the removal of a file.

    await tab.send(AttachmentState.begin, key="f-1", name="photo.jpg", length=120_000)
    await tab.send(AttachmentState.finish, key="f-1", status=201, body='{"id": "…"}')
    tab.shows(ComposerState, "files")            # (DraftFile("f-1", "photo.jpg", …),)

The browser uploads the bytes over HTTP (`POST /attachments`) and reports the answer to `finish`, which reads the upload
from the store.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import reflex as rx

from app.domain.attachments.uploads import MAX_ATTACHED, clean_name
from app.runs.app_context import current
from app.runs.attachments.uploads import find_uploads
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.composer.files import (
    GONE,
    TOO_MANY,
    WAITING,
    begin_file,
    describe_refused,
    describe_replaced,
    describe_upload,
    read_answer,
)
from app.state.composer.state import ComposerState
from app.state.tab.inputs import text_in, whole_in

_KEY: Final = re.compile(r"[a-z0-9]{1,20}-[0-9]{1,6}")
_MAX_KEY: Final = 30
_MAX_NAME: Final = 1_000
_MAX_BODY: Final = 10_000


class AttachmentState(rx.State):
    """The handlers that add and remove files of the draft. The files are in `ComposerState.files`."""

    @rx.event
    async def begin(self, key: str, name: str, length: int) -> None:
        """Add a file of `length` bytes to the draft, because the browser has started to upload it."""
        composer = await self.get_state(ComposerState)
        called = text_in(key, _MAX_KEY) or ""
        if not _KEY.fullmatch(called) or any(file.key == called for file in composer.files):
            return
        if len(composer.files) >= MAX_ATTACHED:
            composer.fault = TOO_MANY
            return
        cleaned = clean_name(text_in(name, _MAX_NAME) or "")
        composer.fault = ""
        if all(file.arrived for file in composer.files):
            composer.refused = ()
        composer.files = (*composer.files, begin_file(key, cleaned, max(0, whole_in(length) or 0)))

    @rx.event
    async def progress(self, key: str, percent: int) -> None:
        """Show the percentage of a file that the browser has sent."""
        composer, much = await self.get_state(ComposerState), whole_in(percent)
        if much in range(101) and any(file.key == key and not file.arrived for file in composer.files):
            composer.files = tuple(
                replace(file, percent=much or 0) if file.key == key else file for file in composer.files
            )

    @rx.event
    async def finish(self, key: str, status: int, body: str) -> rx.event.EventType[()] | None:
        """Handle the server's answer to an upload. Status 0 means that there was no answer.

        A refused file is removed from the draft, so that it never blocks a send. A text at the message box has the
        reason.
        """
        upload_id, fault = read_answer(whole_in(status) or 0, text_in(body, _MAX_BODY) or "")
        found = await find_uploads(current(), LOCAL_OWNER, [upload_id]) if upload_id else ()
        composer = await self.get_state(ComposerState)
        file = next((file for file in composer.files if file.key == key), None)
        if file is None or file.arrived:
            return None
        arrived = found[0].attachment.id if found else ""
        same = next((other for other in composer.files if arrived and other.bytes_id == arrived), None)
        if found and same is not None:
            newest = describe_upload(same.key, found[0])
            left = (other for other in composer.files if other is not file)
            composer.files = tuple(newest if other is same else other for other in left)
            composer.fault = describe_replaced(same.name, newest.name)
            return ComposerState.count_files
        if found:
            ended = describe_upload(file.key, found[0])
            composer.files = tuple(ended if other is file else other for other in composer.files)
            return ComposerState.count_files
        composer.files = tuple(other for other in composer.files if other is not file)
        composer.refused = (*composer.refused, describe_refused(file.name, fault or GONE))[-MAX_ATTACHED:]
        if composer.fault == WAITING and all(other.arrived for other in composer.files):
            composer.fault = ""
        return ComposerState.count_files

    @rx.event
    async def remove(self, key: str) -> rx.event.EventType[()]:
        """Remove a file from the draft."""
        composer = await self.get_state(ComposerState)
        composer.files = tuple(file for file in composer.files if file.key != key)
        composer.fault = ""
        return ComposerState.count_files
