"""Attachments of the draft: progress that the browser reports of uploads, and removal.

    await tab.send(AttachmentState.begin, key="f-1", name="photo.jpg", length=120_000)
    await tab.send(AttachmentState.finish, key="f-1", status=201, body='{"id": "…"}')
    tab.shows(ComposerState, "files")            # (DraftFile("f-1", "photo.jpg", …),)

The bytes come over HTTP (`POST /attachments`); what the browser says of the answer is looked up in the store.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import reflex as rx

from app.domain.conversation.uploads import MAX_ATTACHED, Upload, UploadKind, clean_name
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.uploads import find_uploads
from app.runs.workbench import current
from app.state.composer.files import TOO_MANY, begin_file, describe_upload, fail_file, read_answer
from app.state.composer.state import ComposerState
from app.state.inputs import text_in, whole_in
from app.state.model import ModelState

_KEY: Final = re.compile(r"[a-z0-9]{1,20}-[0-9]{1,6}")
_MAX_KEY: Final = 30
_MAX_NAME: Final = 1_000
_MAX_BODY: Final = 10_000
_REMEMBERED: Final = 200
_GONE: Final = "composer.file_removed"


class AttachmentState(rx.State):
    """The handlers of files. What is attached is a var of the composer (`ComposerState.files`)."""

    _begun: tuple[str, ...] = ()  # keys: the browser names a file again after a lost connection, also one removed here

    @rx.event
    async def begin(self, key: str, name: str, length: int) -> None:
        """The browser begins to upload a file. After a lost connection it says so again, which changes nothing."""
        composer = await self.get_state(ComposerState)
        called = text_in(key, _MAX_KEY) or ""
        if not _KEY.fullmatch(called) or called in self._begun:
            return
        self._begun = (*self._begun[-_REMEMBERED:], called)
        if len(composer.files) >= MAX_ATTACHED:
            composer.fault = translate(TOO_MANY, max_attached=MAX_ATTACHED)
            return
        cleaned = clean_name(text_in(name, _MAX_NAME) or "")
        composer.fault = ""
        composer.files = (*composer.files, begin_file(key, cleaned, max(0, whole_in(length) or 0)))

    @rx.event
    async def progress(self, key: str, percent: int) -> None:
        """So much of it has left the browser."""
        composer, much = await self.get_state(ComposerState), whole_in(percent)
        if much in range(101) and any(file.key == key and not file.arrived for file in composer.files):
            composer.files = tuple(
                replace(file, percent=much or 0) if file.key == key else file for file in composer.files
            )

    @rx.event
    async def finish(self, key: str, status: int, body: str) -> rx.event.EventType[()] | None:
        """The upload has ended, with this answer. Status 0: there was none."""
        upload_id, fault = read_answer(whole_in(status) or 0, text_in(body, _MAX_BODY) or "")
        found = await find_uploads(current(), caller(), [upload_id]) if upload_id else ()
        models = await self.get_state(ModelState)
        if found and found[0].kind is UploadKind.FILE and not models.files:
            found = await _other_form(found[0]) or found
        composer = await self.get_state(ComposerState)
        file = next((file for file in composer.files if file.key == key), None)
        if file is None or file.arrived:
            return None
        if upload_id and any(upload_id in {other.id, other.other} for other in composer.files):  # the same file twice
            composer.files = tuple(other for other in composer.files if other is not file)
            return None
        ended = describe_upload(file.key, found[0]) if found else fail_file(file, fault or translate(_GONE))
        composer.files = tuple(ended if other is file else other for other in composer.files)
        return ComposerState.count_files

    @rx.event
    async def change_form(self, key: str) -> rx.event.EventType[()] | None:
        """Send this PDF as text instead of as the file, or the other way round."""
        composer = await self.get_state(ComposerState)
        file = next((file for file in composer.files if file.key == key and file.other), None)
        if file is None:
            return None
        found = await find_uploads(current(), caller(), [file.other])
        changed = describe_upload(file.key, found[0]) if found else fail_file(file, translate(_GONE))
        composer.files = tuple(changed if other is file else other for other in composer.files)
        return ComposerState.count_files

    @rx.event
    async def remove(self, key: str) -> rx.event.EventType[()]:
        """Do not send this file."""
        composer = await self.get_state(ComposerState)
        composer.files = tuple(file for file in composer.files if file.key != key)
        composer.fault = ""
        return ComposerState.count_files


async def _other_form(upload: Upload) -> tuple[Upload, ...]:
    """The same document in its other form; nothing if it has none."""
    other_id = upload.document.other_id if upload.document else ""
    return await find_uploads(current(), caller(), [other_id]) if other_id else ()
