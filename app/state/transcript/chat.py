"""The conversation on screen without its pairs: its title, its cards, and the commands of its page."""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.child_calls.titles import may_be_titled
from app.domain.conversation.conversation import Conversation, ConversationKind
from app.domain.conversation.damage import find_damaged_title
from app.domain.errors import InviewError
from app.domain.run.run import Canceled, Failed
from app.runs.app_context import AppContext, context_for, current
from app.runs.child_calls.titles import ask_title
from app.runs.conversation.opening import OpenedConversation, read_opened
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.watch.broadcast import count_reply_characters, follow_states
from app.state.filters.applied import FilterState
from app.state.messages.toasts import show_fault, show_toast
from app.state.sidebar.sidebar import rename_with_undo
from app.state.sidebar.titles import clean_title, name_of
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.store.conversation.branches import Origin
from app.store.trash.trash import TrashEntry
from app.views.conversation.conversation import cut_opening


class ChatState(rx.State):
    """The title, the cards and the origin of the conversation on screen.

    - `opened`: the id of the conversation that all vars describe.
    - `temporary`: this conversation is temporary.
    - `missing`: the address names a conversation that cannot be shown, because it does not exist, was deleted or
      belongs to another owner.
    - `in_trash`: the name of that conversation if it is in the trash, otherwise "".

    The title:

    - `title`: "" until there is one.
    - `title_made`: no person wrote the title, so a model may write another.
    - `titling`: a model is writing a title now.
    - `title_damage`: the reason why the stored title cannot be read; `title` then has the first words of the
      conversation.

    The origin:

    - `parent`, `fork_position`: the conversation from which this one was forked, and the position of the pair after
      which it was forked; "" and 0 if there is none.
    - `derived`: this is a child conversation: a title, a summary, delegated work. Then `parent` is the conversation
      that it was made for, and `fork_position` is the position of the pair there.
    """

    title: rx.Field[str] = rx.field("")
    title_damage: rx.Field[str] = rx.field("")
    title_made: rx.Field[bool] = rx.field(default=False)
    titling: rx.Field[bool] = rx.field(default=False)
    tab_title: rx.Field[str] = rx.field("Inview")
    agent_name: rx.Field[str] = rx.field("")
    agent_prompt: rx.Field[str] = rx.field("")
    system_prompt: rx.Field[str] = rx.field("")
    summary: rx.Field[str] = rx.field("")
    parent: rx.Field[str] = rx.field("")
    parent_name: rx.Field[str] = rx.field("")
    fork_position: rx.Field[int] = rx.field(0)
    derived: rx.Field[bool] = rx.field(default=False)
    opened: rx.Field[str] = rx.field("")
    temporary: rx.Field[bool] = rx.field(default=False)
    missing: rx.Field[bool] = rx.field(default=False)
    in_trash: rx.Field[str] = rx.field("")
    _read_of: Conversation | None = None  # the conversation in the form that was read last

    @rx.event
    async def open(self) -> None:
        """Read the conversation that the address names, if any, and show its current state."""
        await self._read()

    async def _read(self) -> None:
        show_chat(self, await read_opened(current(), LOCAL_OWNER, self._on_screen(), searches=False))

    @rx.event
    async def rename(self, title: str) -> None:
        """Change the title. A value that is blank or not text changes nothing."""
        await self._rename(title)

    @rx.event(background=True)
    async def make_title(self) -> None:
        """Ask a model for another title. The page gets the new title like every other change of the conversation."""
        async with self:
            if self.titling:
                return
            self.titling = True
            options = (await self.get_state(FilterState)).view_options
        message, fault = "", None
        try:
            message = await _await_title(await self._ctx(), self._on_screen(), options)
        except InviewError as error:
            fault = error
        async with self:
            self.titling = False
            if fault is not None:
                await show_fault(self, fault)
            elif message:
                await show_toast(self, message)

    async def _rename(self, title: object) -> None:
        cleaned = clean_title(title)
        if cleaned and (cleaned != self.title or self.title_damage):
            await rename_with_undo(self, self._on_screen(), cleaned)
            await self._read()

    async def _ctx(self) -> AppContext:
        return await context_for(current(), self._on_screen())

    def _on_screen(self) -> str:
        return conversation_in(self.router.url.path)


async def _await_title(ctx: AppContext, conversation_id: str, options: ViewOptions) -> str:
    """Ask a model for a title and wait for the title. Return "" or, if there is no title, the reason."""
    derived = await ask_title(ctx, LOCAL_OWNER, conversation_id, options)
    outcome, characters = None, 0
    async for state, _ in follow_states(ctx, LOCAL_OWNER, derived.started.run_id):
        outcome, characters = state.outcome, count_reply_characters(state.parts)
    if isinstance(outcome, Failed):
        return f"No title was generated: {outcome.reason.message}"
    return "" if characters or isinstance(outcome, Canceled) else "The model returned no text. The title is unchanged."


def show_chat(state: ChatState, opened: OpenedConversation) -> None:
    """Show the current state of the conversation on screen in `state`."""
    conversation = opened.conversation
    if opened.listed is None or conversation is None:
        state.reset()
        if opened.id:
            state.missing, state.in_trash = True, _name_deleted(opened.deleted)
        return
    state._read_of = conversation  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - a public var would travel to the page
    title = name_of(conversation.title, cut_opening(opened.listed.opening))
    damaged = find_damaged_title(conversation.damage)
    name, prompt = ("", "") if opened.agent is None else (opened.agent.name, opened.agent.system_prompt)
    parent, parent_name, position = ("", "", 0) if opened.origin is None else _describe_origin(opened.origin)
    set_changed(
        state,
        missing=False,
        in_trash="",
        title=title,
        title_damage="" if damaged is None else damaged.sentence,
        opened=conversation.id,
        temporary=conversation.temporary,
        # The browser stores tab titles on its disk, so the name of a temporary conversation is not in them.
        tab_title=f"{'Temporary conversation' if conversation.temporary else title} · Inview",
        title_made=may_be_titled(conversation),
        agent_name=name,
        agent_prompt=prompt,
        system_prompt=conversation.system_prompt,
        parent=parent,
        parent_name=parent_name,
        fork_position=position,
        derived=conversation.kind is ConversationKind.TOOL,
        summary="" if conversation.checkpoint is None else conversation.checkpoint.summary,
    )


def _name_deleted(entry: TrashEntry | None) -> str:
    return "" if entry is None else name_of(entry.title, cut_opening(entry.words))


def _describe_origin(origin: Origin) -> tuple[str, str, int]:
    return origin.conversation_id, name_of(origin.title, cut_opening(origin.opening)), origin.position


def describes(state: ChatState, conversation: Conversation) -> bool:
    """Return True if the data in `state` is equal to the data of the conversation.

    The time of the conversation's last use and its folder are not compared, because its page does not show them.
    """
    read = state._read_of  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - a public var would travel to the page
    if read is None:
        return False
    return replace(read, updated_at=conversation.updated_at, folder_id=conversation.folder_id) == conversation
