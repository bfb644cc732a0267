"""The data that a page shows around the pairs of a conversation, read in one database session.

    opened = await read_opened(current(), LOCAL_OWNER, conversation_id)
    opened.agent, opened.profile.name, opened.preferences

The start page reads the same data for the conversation that its first message starts. The pairs are not included:
`runs/watch` reads and follows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.agents.agents import Agent
from app.domain.conversation.conversation import Conversation, ConversationKind
from app.domain.conversation.damage import DamagedRowError
from app.domain.errors import NotFoundError
from app.domain.models.model_profile import ModelProfile
from app.domain.settings.preferences import Preferences
from app.domain.topics.topics import build_topic_tree
from app.providers.base import Provider
from app.runs.app_context import AppContext, context_for
from app.runs.runtime.catalogue import DEFAULT_MODEL
from app.store.agents.agents import load_agents
from app.store.conversation.branches import Origin, load_origin
from app.store.conversation.conversations import load_last_agent
from app.store.conversation.heads import PageHead, load_page_head
from app.store.conversation.lineage import load_ancestor
from app.store.conversation.lists import Listed
from app.store.settings.preferences import decode_preferences, load_preferences
from app.store.settings.provider_settings import load_provider_stamp
from app.store.topics.topics import load_topics
from app.store.trash.trash import TrashEntry, find_entry


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A conversation as its page shows it, without the pairs. `id` is "" on the start page.

    The conversation:

    - `listed`: its settings and its first words. None on the start page, and if there is no such conversation.
    - `origin`: the conversation that it was forked from, or the parent of a child conversation.
    - `is_forked`: other conversations were forked from it.
    - `temporary`: it is only in memory.
    - `running`: one of its replies is running.
    - `deleted`: its entry of the trash, if it was deleted.

    The next send:

    - `agent`: the agent that answers, None for none. On the start page: the agent of the last chat.
    - `model`: the chosen model.
    - `provider`, `profile`: those of the model.
    - `providers`: all providers by name; empty if a setting of one cannot be used.
    - `topic_path`: the names of the chosen topic and of the topics above it; "" if there is no such topic.

    The lists:

    - `agents`: all agents.
    - `model_names`: the names of their models for people.
    - `preferences`: the user's preferences, None if they cannot be read.
    """

    id: str
    listed: Listed | None
    origin: Origin | None
    is_forked: bool
    temporary: bool
    running: bool
    deleted: TrashEntry | None
    agent: Agent | None
    model: str
    provider: Provider
    profile: ModelProfile
    providers: Mapping[str, Provider]
    topic_path: str
    agents: tuple[Agent, ...]
    model_names: Mapping[str, str]
    preferences: Preferences | None

    @property
    def conversation(self) -> Conversation | None:
        """The settings of the conversation. None on the start page, and if there is no such conversation."""
        return None if self.listed is None else self.listed.conversation


async def read_opened(  # noqa: PLR0913 - the conversation, and the choices that it does not store
    ctx: AppContext, owner: str, conversation_id: str, *, model: str = "", topic: str = "", searches: bool = True
) -> OpenedConversation:
    """Return the data that a page shows around the pairs of a conversation.

    - `conversation_id`: "" for the start page.
    - `model`: the model that is chosen on the start page; "": the default.
    - `topic`: the id of the topic that is chosen in the composer; "": none.
    - `searches`: if the server of the model is not known, search this machine for it, which can take a second. If
      False, such a provider is returned with `missing` set.
    """
    here = await context_for(ctx, conversation_id) if conversation_id else ctx
    async with here.store.read() as session:  # the temporary store reads agents and providers from the disk
        head = await _find_head(session, owner, conversation_id)
        conversation = None if head is None else head.listed.conversation
        agents = await load_agents(session, owner)
        if conversation_id:
            agent_id = None if conversation is None else conversation.agent_id
            model = "" if conversation is None else conversation.model or ""
        else:
            agent_id = await load_last_agent(session, owner)
        model = model or DEFAULT_MODEL
        stamp = await load_provider_stamp(session, owner) if head is None else head.providers
        provider, profile = await ctx.catalogue.recognise(session, owner, model, stamp=stamp, searches=searches)
        providers = await ctx.catalogue.usable_providers(session, owner, stamp)
        return OpenedConversation(
            id=conversation_id,
            listed=None if head is None else head.listed,
            origin=None if conversation is None else await _find_origin(session, owner, conversation),
            is_forked=head is not None and head.is_forked,
            temporary=here is not ctx,
            running=bool(here.engine.runs_of(conversation_id)),
            deleted=await _find_deleted(session, owner, conversation_id) if conversation_id and head is None else None,
            agent=next((agent for agent in agents if agent.id == agent_id), None),
            model=model,
            provider=provider,
            profile=profile,
            providers=providers,
            topic_path=await _find_path(session, owner, topic) if topic else "",
            agents=agents,
            model_names=ctx.catalogue.names_of(owner, [agent.model for agent in agents if agent.model]),
            preferences=await _find_preferences(session, owner, head),
        )


async def _find_head(session: AsyncSession, owner: str, conversation_id: str) -> PageHead | None:
    try:
        return await load_page_head(session, owner, conversation_id) if conversation_id else None
    except NotFoundError:
        return None


async def _find_origin(session: AsyncSession, owner: str, conversation: Conversation) -> Origin | None:
    if conversation.kind is not ConversationKind.TOOL:
        return await load_origin(session, owner, conversation)
    found = await load_ancestor(session, owner, conversation)
    return None if found is None else Origin(found.id, found.title, found.opening, found.trigger_position or 0)


async def _find_deleted(session: AsyncSession, owner: str, conversation_id: str) -> TrashEntry | None:
    try:
        entry = await find_entry(session, owner, conversation_id)
    except NotFoundError:
        return None
    return entry if entry.kind == "conversation" else None


async def _find_path(session: AsyncSession, owner: str, topic_id: str) -> str:
    tree = build_topic_tree(await load_topics(session, owner))
    return tree.path_text(topic_id) if topic_id in tree.paths else ""


async def _find_preferences(session: AsyncSession, owner: str, head: PageHead | None) -> Preferences | None:
    try:
        return await load_preferences(session, owner) if head is None else decode_preferences(head.preferences)
    except DamagedRowError:
        return None
