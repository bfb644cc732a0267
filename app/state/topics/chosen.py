"""The topic of new pairs. It is chosen in the composer, and the browser stores it for each conversation."""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.topics.topics import build_topic_tree
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.filters.applied import FilterState
from app.state.filters.kept_topics import MAX_ID, keep_topic, read_kept
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in
from app.store.topics.topics import load_topics


class TopicState(FilterState):
    """The topic that is chosen in the conversation on screen.

    `chosen` is its id, `path` has its name and the names of the topics above it. Both are "" for no topic.

    This is a substate of `FilterState`, because filters may refer to the chosen topic.
    """

    chosen: rx.Field[str] = rx.field("")
    path: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Show the topic that is chosen in the conversation on screen."""
        await self._choose_here(self._kept_here())

    @rx.event
    async def carry(self, conversation_id: str) -> None:
        """Move the topic that is chosen on the start page to the conversation that was started there."""
        made, topic = text_in(conversation_id, MAX_ID), read_kept(self.topics, "")
        if made and topic:
            self.topics = keep_topic(keep_topic(self.topics, "", ""), made, topic)

    async def _choose_here(self, topic_id: str) -> None:
        """Choose a topic for the conversation on screen. "" and a deleted topic mean none."""
        self._show(topic_id, await _find_path(topic_id) if topic_id else "")

    def _show(self, topic_id: str, path: str) -> None:
        """Show the topic with this id and the names `path`. "": there is no such topic."""
        chosen = topic_id if path else ""
        set_changed(self, chosen=chosen, path=path, topic=chosen)
        if self._kept_here() != chosen:
            self.topics = keep_topic(self.topics, self._here(), chosen)
        self._set_options(replace(self._view_options, topic=chosen or None))

    def _kept_here(self) -> str:
        return read_kept(self.topics, self._here())

    def _here(self) -> str:
        return conversation_in(self.router.url.path)


def kept_topic(state: TopicState) -> str:
    """Return the id of the topic that the browser has stored for the conversation on screen, "" for none."""
    return state._kept_here()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


def show_topic(state: TopicState, path: str) -> None:
    """Show the stored topic of the conversation on screen. `path` has its names, "" if the topic does not exist."""
    state._show(state._kept_here(), path)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


async def _find_path(topic_id: str) -> str:
    async with current().store.read() as session:
        tree = build_topic_tree(await load_topics(session, LOCAL_OWNER))
    return tree.path_text(topic_id) if topic_id in tree.paths else ""
