"""The conversation on screen, without what is said in it: its title, its cards, and the commands of its page."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.domain.errors import NotFoundError
from app.runs.commands import LOCAL_OWNER, cancel_run, change_conversation
from app.runs.workbench import current
from app.state.address import conversation_in
from app.state.titles import clean_title, name_of
from app.store.conversations import describe_listed
from app.views.conversation import cut_snippet


class ChatState(rx.State):
    """`missing`: the address names a conversation that is not there, or not ours. `title` is "" until there is one."""

    title: rx.Field[str] = rx.field("")
    tab_title: rx.Field[str] = rx.field("Inview")
    system_prompt: rx.Field[str] = rx.field("")
    missing: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def open(self) -> None:
        """Show the conversation that the address names, if any, as it is now."""
        await self._read()

    async def _read(self) -> None:
        conversation_id = self._on_screen()
        if not conversation_id:
            self.reset()
            return
        try:
            async with current().store.read() as session:
                listed = await describe_listed(session, LOCAL_OWNER, conversation_id)
        except NotFoundError:
            self.reset()
            self.missing = True
            return
        conversation = listed.conversation
        self.missing = False
        self.title = name_of(conversation.title, cut_snippet(listed.opening))
        self.tab_title = f"{self.title} · Inview"
        self.system_prompt = conversation.system_prompt

    @rx.event
    async def rename(self, title: str) -> None:
        """Give it another title; what is not text, or blank, changes nothing."""
        await self._rename(title)

    @rx.event
    async def submit_title(self, form: dict[str, Any]) -> None:
        """The same, from the field's form."""
        await self._rename(form.get("title"))

    async def _rename(self, title: object) -> None:
        cleaned = clean_title(title)
        if cleaned and cleaned != self.title:
            await change_conversation(current(), LOCAL_OWNER, self._on_screen(), title=cleaned)
            await self._read()

    @rx.event
    async def stop_reply(self) -> None:
        """Stop the reply that is running here; what was received stays. Nothing happens if none runs any more."""
        wb = current()
        for run in wb.engine.runs_of(self._on_screen()):
            if run.place.owner == LOCAL_OWNER:
                await cancel_run(wb, LOCAL_OWNER, run.run_id)

    def _on_screen(self) -> str:
        return conversation_in(self.router.url.path)
