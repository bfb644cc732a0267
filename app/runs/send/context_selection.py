"""Context selection: the pairs that a filter selects, and everything else that a request is composed from.

    base = await read_base(ctx, owner, conversation_id, ViewOptions(filter="s>=2 o"))
    base.measured

The page, the HTTP API, the preview and the send all use this module. `read_base` makes a context snapshot (the base):
it queries the database for the pairs that the filter selects, unless a snapshot for this revision of the conversation
is cached. `compose_base` (`composition.py`) then selects the pairs to send, without the database. Nothing is written
except the indexes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.context.budget import Limits
from app.domain.context.composition import BoundaryInputs, SizedPairs
from app.domain.context.middleware import choose_middleware
from app.domain.context.pair_index import FullIndex, measure_at
from app.domain.conversation.conversation import Conversation, ToolMode
from app.domain.conversation.damage import require_settings
from app.domain.conversation.parameters import NO_PARAMETERS, merge_parameters
from app.domain.errors import ConflictError, InputError
from app.domain.filters.bar.notices import list_notices
from app.domain.filters.bar.sentence import describe_filter
from app.domain.filters.evaluation.combining import list_parts
from app.domain.filters.evaluation.condition import EVERY_PAIR, Condition
from app.domain.filters.evaluation.lowering import BoundaryPairs, asks_boundary, lower_base, lower_view
from app.domain.filters.evaluation.scope import Chosen, FilterScope, Vocabulary
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import (
    AgentTerm,
    Filter,
    ModelTerm,
    RecentOfTopic,
    Saved,
    ToolCallTerm,
    TopicTerm,
    leaves,
)
from app.domain.filters.saved import expand_saved
from app.domain.models.model_profile import ModelProfile
from app.domain.privacy.user_context import READ_OF_FIRST_REQUEST
from app.domain.settings.preferences import read_user_options
from app.domain.tokens.estimates import Estimator
from app.domain.topics.topics import build_topic_tree
from app.providers.base import Provider
from app.providers.counts.vocabularies import vocabulary_of
from app.providers.models.fitting import describe_left_out, fit_parameters
from app.runs.app_context import AppContext
from app.runs.request.calibration import load_estimator
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.request.indexes import NEVER
from app.runs.request.send_plan import compose_request_extras, system_text_of
from app.runs.request.texts import count_text
from app.runs.runtime.catalogue import DEFAULT_MODEL
from app.runs.send.offered_tools import list_offered, name_delegates, size_tools
from app.runs.usage.limits import load_limits
from app.store.agents.agents import load_names
from app.store.conversation.conversations import load_first_request
from app.store.conversation.folders import load_name_of_folder
from app.store.conversation.heads import Head, load_first_head, load_head
from app.store.filters.filter_queries import select_names, select_pairs
from app.store.filters.filters import load_saved_filters
from app.store.run.toolsets import load_called_tools
from app.store.settings.preferences import decode_preferences
from app.store.tools.permissions import find_root
from app.store.topics.topics import load_topics

UTC_ZONE = "UTC"

ATTEMPTS = 20
"""Number of attempts to read a conversation that changes each time while it is indexed and read."""

NO_BOUNDARY = BoundaryPairs((), frozenset())


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """The options of a view of a conversation.

    A filter, model, agent or tool mode of None means: use the conversation's own.

    - `topic`: the id of the topic chosen in the composer; None: no topic.
    - `zone`: the reader's time zone by its IANA name.
    - `as_of`: the instant from which ages are computed, and that the text about the person has; None: the current
      time.
    - `agent`: the id of an agent; "": no agent.
    """

    filter: str | None = None
    model: str | None = None
    topic: str | None = None
    zone: str = UTC_ZONE
    as_of: datetime | None = None
    tool_mode: ToolMode | None = None
    agent: str | None = None


def _cut_base(base: ContextSnapshot, before: int) -> ContextSnapshot:
    """Return a copy of the context snapshot (`base`) with only the pairs at positions below `before`.

    Raises:
        ConflictError: the summary that would be sent replaces the pair at this position, and perhaps newer pairs too.
    """
    checkpoint = base.conversation.checkpoint
    if checkpoint is not None and before < checkpoint.position:
        raise ConflictError(
            "This pair is before the checkpoint, whose summary covers it and the later pairs. Remove the "
            "checkpoint first, or branch from here."
        )
    return replace(base, measured=base.measured.cut(before), views={})


async def read_base(  # noqa: PLR0913 - the conversation, the view options and the kind of send
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    options: ViewOptions,
    *,
    sends: bool = False,
    before: int | None = None,
) -> ContextSnapshot:
    """Return a context snapshot: the pairs that the filter selects, and all else that a composition needs.

    The snapshot does not include the draft. `sends`: the model will be called, so it and the settings must be usable.
    `before`: only pairs with a lower position are in view, as for a pair that is sent again.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the filter cannot be used. The error has the place of the fault.
        InputError: the time zone, or the model that will be called, cannot be used.
        StoreError: the key of the model's provider cannot be unsealed.
        DamagedSettingError: the model will be called, and a setting of the conversation cannot be read.
        ConflictError: the conversation changes faster than it can be read, or the summary that would be sent replaces
            the pair at position `before`.
    """
    now = datetime.now(UTC) if options.as_of is None else options.as_of
    for _ in range(ATTEMPTS):
        indexed = ctx.indexer.up_to(conversation_id)
        async with ctx.store.read() as session:
            head = _name_agent(await load_head(session, owner, conversation_id, options.agent))
            if sends:
                require_settings(head.conversation.damage)
            inputs = await _load_inputs(ctx, session, head, options, sends=sends)
            vocabulary = inputs.vocabulary
            known = indexed.get(vocabulary, NEVER)
            if await ctx.indexer.finds_all(session, owner, conversation_id, head.revision, vocabulary, known):
                own = await _load_own_context(session, head, before)
                base = await _read_base(ctx, session, inputs, now, options.topic, own)
                return base if before is None else _cut_base(base, before)
        await ctx.indexer.index_pairs(owner, conversation_id, head.revision, vocabulary)
    raise ConflictError("The conversation changed while Inview read it. Try again.")


async def read_first_base(
    ctx: AppContext, conversation: Conversation, options: ViewOptions, *, sends: bool = False
) -> ContextSnapshot:
    """Return a context snapshot, as `read_base` does, of a conversation that is not stored yet and has no pairs.

    Raises:
        NotFoundError: this owner has no such agent.
        InputError: the time zone, or the model that will be called, cannot be used.
    """
    now = datetime.now(UTC) if options.as_of is None else options.as_of
    async with ctx.store.read() as session:
        head = await load_first_head(session, conversation)
        inputs = await _load_inputs(ctx, session, head, options, sends=sends)
        return await _read_base(ctx, session, inputs, now, options.topic)


@lru_cache(maxsize=256)
def parse_filter_line(line: str) -> Filter:
    """Parse a filter. The results are cached.

    Raises:
        FilterError: the line cannot be parsed.
    """
    return parse_filter(line)


def _model_of(head: Head, options: ViewOptions) -> str:
    """Return the model of a send: the chosen one, else the conversation's, else the agent's.

    If the view options name an agent, the agent's model has priority over the conversation's.
    """
    of_agent = None if head.agent is None else head.agent.model
    named = of_agent if options.agent else None
    return options.model or named or head.conversation.model or of_agent or DEFAULT_MODEL


def _name_agent(head: Head) -> Head:
    """Set the agent id of the conversation to that of the loaded agent; to none if the agent was deleted."""
    agent_id = None if head.agent is None else head.agent.id
    if head.conversation.agent_id == agent_id:
        return head
    return replace(head, conversation=replace(head.conversation, agent_id=agent_id))


def read_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no zone has this name, or the name is that of a folder of zones
        raise InputError("zone", f"{name!r} is not a time zone. Write it like Europe/Berlin.") from None


@dataclass(frozen=True, slots=True)
class _BaseInputs:
    """Everything that a context snapshot depends on, except the objects that the names in the filter refer to."""

    owner: str
    head: Head
    provider: Provider
    profile: ModelProfile
    vocabulary: str
    filter: str
    written: Filter
    zone: tzinfo


async def _load_inputs(
    ctx: AppContext, session: AsyncSession, head: Head, options: ViewOptions, *, sends: bool
) -> _BaseInputs:
    if options.tool_mode is not None:
        head = replace(head, conversation=replace(head.conversation, tool_mode=options.tool_mode))
    line = head.conversation.filter if options.filter is None else options.filter
    owner = head.conversation.owner
    must_exist = sends or options.model is not None
    look_up = ctx.catalogue.find if must_exist else ctx.catalogue.recognise
    provider, profile = await look_up(session, owner, _model_of(head, options), stamp=head.providers)
    vocabulary = vocabulary_of(profile.model)
    return _BaseInputs(
        owner, head, provider, profile, vocabulary, line, parse_filter_line(line), read_zone(options.zone)
    )


@dataclass(frozen=True, slots=True)
class _OwnContext:
    """The part of the text about the person that depends on the conversation. A part that is not sent is ""."""

    first_request: str = ""
    project: str = ""


_NO_OWN_CONTEXT = _OwnContext()


async def _load_own_context(session: AsyncSession, head: Head, before: int | None) -> _OwnContext:
    """Return the first request and the folder of the conversation, as far as they are sent.

    For a child conversation, they are those of the person's conversation. `before`: only pairs with a lower position
    count.
    """
    preferences = decode_preferences(head.preferences)
    if not (preferences.tell_first_request or preferences.tell_project):
        return _NO_OWN_CONTEXT
    conversation, owner = head.conversation, head.conversation.owner
    root = await find_root(session, conversation.id)
    first = project = ""
    if preferences.tell_first_request:
        before = before if root == conversation.id else None
        first = await load_first_request(session, owner, root, READ_OF_FIRST_REQUEST, before=before)
    if preferences.tell_project:
        project = await load_name_of_folder(session, owner, root)
    return _OwnContext(first, project)


async def _read_base(  # noqa: PLR0913, PLR0917 - all inputs of a context snapshot
    ctx: AppContext,
    session: AsyncSession,
    inputs: _BaseInputs,
    now: datetime,
    topic: str | None,
    context: _OwnContext = _NO_OWN_CONTEXT,
) -> ContextSnapshot:
    head, profile, conversation_id = inputs.head, inputs.profile, inputs.head.conversation.id
    chosen = Chosen(topic, profile.model, head.conversation.agent_id)
    tree, names = await _load_names(session, inputs)
    scope = FilterScope(now, inputs.zone, names, chosen)
    condition = lower_base(tree, scope)
    notices = list_notices(tree, scope)
    limits = await load_limits(ctx, session, head, inputs.zone)
    # The estimator is not part of the key: while the conversation is unchanged, the estimator of the cached
    # snapshot is used.
    preferences = decode_preferences(head.preferences)
    tools = list_offered(ctx, inputs.owner, preferences, head.agent)
    tools = await name_delegates(session, inputs.owner, tools, head.agent)
    known_user = read_user_options(preferences, now, context.first_request, context.project)
    extras = compose_request_extras(choose_middleware(known_user, head.conversation.middleware))
    key = (inputs, tree, condition, notices, limits, tools, extras)
    if (known := ctx.snapshots.find(key)) is not None:
        return replace(known, scope=scope)
    estimator = await load_estimator(session, inputs.owner, profile, conversation_id)
    sheet = await ctx.sizes.load(session, inputs.owner, conversation_id, head.revision, inputs.vocabulary)

    async def find(part: Condition) -> Mapping[str, int]:
        return await select_pairs(session, inputs.owner, conversation_id, part, estimator, inputs.vocabulary)

    checkpoint = 0 if head.conversation.checkpoint is None else head.conversation.checkpoint.position
    measured: SizedPairs = FullIndex(sheet.index, estimator, checkpoint)
    if condition != EVERY_PAIR:
        measured = measure_at(sheet.index, (await find(condition)).values(), estimator, checkpoint)
    boundary_conditions = list_parts(lower_view(tree, scope, NO_BOUNDARY)) if asks_boundary(tree) else ()
    agent = head.agent
    system_text = await count_text(inputs.vocabulary, system_text_of(head.conversation, agent, extras))
    agents, of_agent = fit_parameters(NO_PARAMETERS if agent is None else agent.parameters, inputs.provider, profile)
    own, of_conversation = fit_parameters(head.conversation.parameters, inputs.provider, profile)
    notices = (*notices, *describe_left_out("this conversation", of_conversation))
    if agent is not None:
        notices = (*notices, *describe_left_out(agent.name, of_agent))
    called = frozenset[str]()
    if tools and head.conversation.tool_mode is ToolMode.AUTO:
        in_view = await load_called_tools(session, inputs.owner, conversation_id)
        called = frozenset[str]().union(*(in_view.get(pair.pair_id, ()) for pair in measured.pairs))
    base = ContextSnapshot(
        owner=inputs.owner,
        conversation=head.conversation,
        agent=agent,
        own=own,
        usual=merge_parameters(own, agents),
        revision=head.revision,
        provider=inputs.provider,
        profile=profile,
        vocabulary=inputs.vocabulary,
        filter=inputs.filter,
        tree=tree,
        scope=scope,
        sentence=describe_filter(inputs.written),
        notices=notices,
        terms=state_terms(profile, estimator, limits, system_text),
        over_budget=preferences.over_budget,
        replay=preferences.replay,
        rate_limits=preferences.rate_limits,
        measured=measured,
        index=sheet.index,
        system_text=system_text,
        extras=extras,
        offer=await size_tools(tools, head.conversation, profile, estimator, inputs.vocabulary, called),
        running=sheet.index.running,
        parts={part: frozenset(await find(part)) for part in boundary_conditions},
    )
    ctx.snapshots.keep(key, base)
    return base


async def _load_names(session: AsyncSession, inputs: _BaseInputs) -> tuple[Filter, Vocabulary]:
    """Expand saved filters, and load the names (topics, agents, models, tools) that the filter can use."""
    owner = inputs.owner
    tree, topics = inputs.written, build_topic_tree()
    if any(isinstance(leaf, Saved) for leaf in leaves(tree)):
        tree = expand_saved(tree, await load_saved_filters(session, owner))
    kinds = {type(leaf) for leaf in leaves(tree)}
    if kinds & {TopicTerm, RecentOfTopic}:
        topics = build_topic_tree(await load_topics(session, owner))
    agents = await load_names(session, owner) if AgentTerm in kinds else {}
    models: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    if kinds & {ModelTerm, ToolCallTerm}:
        models, tools = await select_names(session, owner, inputs.head.conversation.id)
    return tree, Vocabulary(topics, models, agents, tools)


def state_terms(profile: ModelProfile, estimator: Estimator, limits: Limits, system_text: int) -> BoundaryInputs:
    """Return the data from which the context boundary is computed, except the pairs and the draft."""
    return BoundaryInputs(
        estimator,
        profile.context_window,
        limits,
        system=estimator.of_text(system_text, 1) if system_text else 0,
        input_price=None if profile.prices is None else profile.prices.input,
        free=profile.local and profile.prices is None,
        input_steps=profile.input_steps,
    )
