"""The message box: the draft with its schema and its files, the size of its send, and actions for the text area.

    class ComposerState(MessageBox, rx.State):
        ...

No handler waits for the database under the lock of the state.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

import reflex as rx

from app.domain.attachments.uploads import MAX_ATTACHED
from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.domain.errors import InputError
from app.runs.app_context import current
from app.runs.attachments.uploads import find_uploads, load_attached
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.composer.files import DraftFile, describe_upload, ids_of
from app.state.composer.first_message import estimate_first, read_first
from app.state.composer.split import describe_secrets, describe_split
from app.state.composer.views import BoxOrder, OrderKind, SplitView
from app.state.inspector.frame import ON_START, InspectorState
from app.state.inspector.preview import PreviewState, note_first
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_in
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.tab_watchers import watcher_of
from app.views.composer.context import ContextView, ToolCountView
from app.views.request.composition import EstimateView

MAX_TEXT: Final = MAX_TEXT_BYTES
"""Maximum number of characters of a message. A longer text also has too many bytes, and is neither sent nor counted."""
CONTINUE: Final = "Continue exactly where you stopped."
_MAX_ID: Final = 64
_MAX_SCHEMA: Final = 100_000
_MAX_FILES: Final = 10_000
_MAX_RETURNED: Final = 20

Events = AsyncGenerator[Any, None]


class MessageBox(rx.State, mixin=True):
    """The part of the composer's state that is about the draft.

    The text area numbers the versions of its text. Such a number is called edition.

    - `estimate`: the size of the next send, None until it is known.
    - `split`: the same figures as text. `x` of the `y` pairs in view are sent to `model`.
    - `counted`: the edition of the text that these figures were computed for. If the text area has another edition by
      now, the figures are outdated.
    - `counting`: the progress of the count that the figures wait for, "" for none.
    - `tools`: the tools of the send, with their number and size.
    - `secrets`: the kinds of secrets in the draft that are redacted.
    - `kept_back`: a text that describes these secrets.
    - `prelude`: the text about the person that is sent in front of all pairs.
    - `schema`, `files`: sent with the draft; "" means no schema.
    - `refused`: for each file that was not attached, a text with the reason.
    - `restored`: the `restore_id` of the last call of `restore`.
    - `fault`: the reason why the draft was not sent or counted.
    - `fault_provider`: the provider whose settings must be changed before the draft can be sent, "" for none.
    - `order`: an action that the text area shall carry out.
    """

    estimate: rx.Field[EstimateView | None] = rx.field(None)
    split: rx.Field[SplitView | None] = rx.field(None)
    counted: rx.Field[int] = rx.field(0)
    counting: rx.Field[str] = rx.field("")
    model: rx.Field[str] = rx.field("")
    x: rx.Field[int] = rx.field(0)
    y: rx.Field[int] = rx.field(0)
    tools: rx.Field[ToolCountView | None] = rx.field(None)
    secrets: rx.Field[tuple[str, ...]] = rx.field(())
    kept_back: rx.Field[str] = rx.field("")
    prelude: rx.Field[str | None] = rx.field(None)
    schema: rx.Field[str] = rx.field("")
    files: rx.Field[tuple[DraftFile, ...]] = rx.field(())
    refused: rx.Field[tuple[str, ...]] = rx.field(())
    restored: rx.Field[int] = rx.field(0)
    fault: rx.Field[str] = rx.field("")
    fault_provider: rx.Field[str] = rx.field("")
    order: rx.Field[BoxOrder | None] = rx.field(None)
    _draft: str = ""
    _edition: int = 0  # the edition of the draft; 0 if the text area shows another text
    _estimates: int = 0  # number of estimates of first messages so far
    _first_as_of: datetime | None = None  # the time in the last estimate of a first message
    # drafts whose send was refused: the conversation's id, the schema and the files
    _returned: tuple[tuple[str, str, tuple[DraftFile, ...]], ...] = ()

    @rx.event
    async def restore(
        self, draft: str, schema: str, files: str, edition: int = 0, restore_id: int = 0
    ) -> rx.event.EventType[()]:
        """Take over the draft that the browser stored for the conversation just opened, with its schema and its files.

        `restore_id` is a number that the text area chose for this call. It becomes the value of `restored`: the text
        area then knows which draft the vars `schema` and `files` belong to.
        """
        self.restored = whole_in(restore_id) or 0
        self.schema = text_in(schema, _MAX_SCHEMA) or ""
        ids = (text_in(files, _MAX_FILES) or "").split()[:MAX_ATTACHED]
        kept = await find_uploads(current(), LOCAL_OWNER, ids) if ids else ()
        self.files = tuple(describe_upload(f"kept-{at}", one) for at, one in enumerate(kept))
        conversation_id = conversation_in(self.router.url.path)
        for of, returned_schema, returned_files in self._returned:
            if of == conversation_id:
                self.schema, self.files = self.schema or returned_schema, self.files or returned_files
        self._returned = tuple(each for each in self._returned if each[0] != conversation_id)
        await self._write(draft, edition)
        return type(self).count_files if conversation_id else type(self).estimate_first

    @rx.event(background=True)
    async def count_files(self) -> None:
        """Include the files of the draft in the count of the next send."""
        async with self:
            ids, watcher = ids_of(self.files), watcher_of(self)
        if watcher is None:
            return
        try:
            attached = await load_attached(current(), LOCAL_OWNER, ids)
        except InputError as error:
            async with self:
                self.fault = describe_fault(error)
            return
        watcher.attach(attached.parts)

    @rx.event
    async def write(self, draft: str, typed: bool, edition: int = 0) -> rx.event.EventType[()] | None:
        """Take the text of the text area, and update the size of the next send.

        - `typed`: a person wrote the text, so the reason why the last send was refused is cleared.
        - `edition`: the edition of the text. 0: the text is not the one on screen, so the text area must treat the new
          figures as outdated.
        """
        if typed is True:
            self.fault = ""
        await self._write(draft, edition)
        return None if conversation_in(self.router.url.path) else type(self).estimate_first

    @rx.event(background=True)
    async def estimate_first(self) -> Events:
        """Estimate the first message of a conversation that is not stored yet, and update its preview.

        If this is called again meanwhile, the result of the earlier call is dropped.
        """
        async with self:
            if conversation_in(self.router.url.path):
                return
            self._estimates += 1
            turn, files = self._estimates, ids_of(self.files)
            self._first_as_of = datetime.now(UTC)
            draft = await read_first(self, self._draft, self._edition, self.schema, files, self.next_models)
            draft = replace(draft, options=replace(draft.options, as_of=self._first_as_of))
            await note_first(self, draft)
        context = await estimate_first(draft)
        async with self:
            if turn != self._estimates or conversation_in(self.router.url.path):
                return
            show_context(self, context, None)
            self.counted = draft.edition
            previews = (await self.get_state(InspectorState)).section == ON_START
        if previews:
            yield PreviewState.keep_current

    async def _write(self, draft: object, edition: object) -> None:
        words = text_in(draft, MAX_TEXT)
        self._draft, self._edition = words or "", 0 if words is None else whole_in(edition) or 0
        self._count()

    def _count(self) -> None:
        watcher = watcher_of(self)
        if watcher is not None and watcher.conversation_id == conversation_in(self.router.url.path):
            parameters = replace(watcher.view.parameters, reply_schema=self.schema or None)
            watcher.write(self._draft, parameters, self._edition)

    @rx.event
    async def finish_order(self, order_id: str) -> None:
        """Clear `order`, because the text area is done with it.

        If `order` is a `SEND`, there was nothing to send: otherwise `send` would have cleared `order`.
        """
        if (order := self.order) is not None and order.id == order_id:
            self.order = None
            if order.kind is OrderKind.SEND:
                self._note_nothing_to_send(order_id)

    def _note_nothing_to_send(self, order_id: str) -> None:
        """Note that the text area had nothing to send for this order."""

    @property
    def next_models(self) -> tuple[str, ...]:
        """The models that the draft goes to, if several were chosen before it was sent; (): the chosen model alone."""
        return ()

    def _keep_returned(self, conversation_id: str, schema: str, files: tuple[DraftFile, ...]) -> None:
        """Keep the schema and the files of a draft that was refused while the page shows another conversation.

        `restore` adds them to the draft when the page shows that conversation again.
        """
        if schema or files:
            self._returned = (*self._returned[1 - _MAX_RETURNED :], (conversation_id, schema, files))

    @rx.event
    async def focus(self) -> None:
        """Focus the text area."""
        self.order = make_order(OrderKind.FOCUS, "")

    @rx.event
    async def put(self, text: str, schema: str) -> None:
        """Insert a text in front of the draft. `schema` replaces the draft's schema, unless `schema` is ""."""
        if words := text_in(text, MAX_TEXT):
            self.fault = ""
            self.schema = text_in(schema, _MAX_SCHEMA) or self.schema
            self.order = make_order(OrderKind.PUT, words)

    @rx.event
    async def put_edit(self, edit_id: str) -> None:
        """Insert the text of an unfinished edit of a pair, which the browser has stored, in front of the draft."""
        if name := text_in(edit_id, _MAX_ID):
            self.order = make_order(OrderKind.PUT_EDIT, name)

    @rx.event
    async def continue_reply(self) -> None:
        """Send a request for the rest of the last reply.

        If there is a draft, do not send the request, but insert the request's text in front of the draft.
        """
        self.order = make_order(OrderKind.SAY, CONTINUE)

    @rx.event
    async def put_if_empty(self, text: str) -> None:
        """Put a text into the message box, if that is empty."""
        if words := text_in(text, MAX_TEXT):
            self.order = make_order(OrderKind.PUT_IF_EMPTY, words)

    @rx.var
    def file_keys(self) -> tuple[str, ...]:
        """The keys that the browser gave to the files of the draft."""
        return tuple(file.key for file in self.files)

    @rx.var
    def file_ids(self) -> str:
        """The ids of the uploads that have arrived, separated by blanks, as the text area stores them."""
        return " ".join(ids_of(self.files))

    @rx.var
    def has_images(self) -> bool:
        """True if one of the files is an image."""
        return any(file.image for file in self.files)

    @property
    def text(self) -> str:
        """The text in the text area, as the browser reported it last."""
        return self._draft

    @property
    def edition(self) -> int:
        """The number that the text area gave to the text that it reported last, 0 if it reported none."""
        return self._edition


def set_schema(composer: MessageBox, schema: str) -> None:
    """Set the schema of the draft; "" removes it."""
    composer.schema = schema
    if (watcher := watcher_of(composer)) is not None:
        watcher.write(composer.text, replace(watcher.view.parameters, reply_schema=schema or None), composer.edition)


def make_order(kind: OrderKind, text: str) -> BoxOrder:
    """Return a new action for the text area."""
    return BoxOrder(uuid4().hex, kind, text)


def show_context(state: MessageBox, context: ContextView | None, before: ContextView | None) -> None:
    """Copy the figures of the next send to `state`, if they differ from those in `before`, which were copied last."""
    if context is None:
        state.estimate, state.split = None, None
        return
    state.estimate = context.estimate  # always set: an exact count may have replaced it
    if before is None or (context.model, context.x, context.y) != (before.model, before.x, before.y):
        state.model, state.x, state.y = context.model, context.x, context.y
    if before is None or context.tools != before.tools:
        state.tools = context.tools
    if before is None or (context.secrets, context.prelude) != (before.secrets, before.prelude):
        state.secrets, state.prelude = context.secrets, context.prelude
        state.kept_back = describe_secrets(context.secrets)
    state.split = describe_split(context)


def show_count(state: MessageBox, context: ContextView, exact: EstimateView) -> None:
    """Show the provider's count of the next send instead of the estimate, until the content of the send changes."""
    state.estimate = exact
    state.split = describe_split(replace(context, estimate=exact))
