"""Filters over all conversations of a person: the pairs selected, and a new conversation made of some of them.

    page = await find_pairs(wb, owner, "c'budget' d<30d", limit=50)
    records = await load_copied(wb, owner, [pair.id for pair in page.pairs])

A copy is a pair of its own with the versions it had, linked to its source; what becomes of that changes nothing of it.
Copying calls no provider, so the ledger does not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Pair
from app.domain.errors import InputError, NotFoundError
from app.domain.export import PairRecord
from app.domain.filters.bar.completion import complete_line
from app.domain.filters.conditions.across import list_cheap, require_across
from app.domain.filters.conditions.lowering import lower_base
from app.domain.filters.conditions.scope import Scope, Vocabulary
from app.domain.filters.conditions.selection import narrow
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.syntax import Agent, CalledTool, Filter, Model, leaves
from app.domain.filters.parser.parser import parse_filter
from app.domain.filters.saved.saved import expand_saved
from app.domain.topics.topics import TopicTree, build_topic_tree
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.resend.forks import copy_records, require_ended
from app.runs.send.commands import create_conversation
from app.runs.send.context_selection import UTC_ZONE, read_zone
from app.runs.workbench import Workbench
from app.store.archive import BATCH, insert_records, load_records
from app.store.conversation.conversations import next_revision
from app.store.index.owner_pairs import (
    PairPlace,
    Source,
    insert_sources,
    load_newest,
    load_source,
    load_titles,
    select_all_names,
)
from app.store.organise.filters import load_saved_filters
from app.store.organise.topics import load_topics
from app.store.settings.agents import find_agent, load_names
from app.views.filter_line import LineView, describe_completion, describe_filter_error
from app.views.filter_words import describe_selected, say_filter

LOOKED_AT: Final = 200
"""Pairs that are read at once."""
MAX_LOOKED_AT: Final = 5_000
"""Pairs that are read for a page at most: a page of a filter that few pairs meet may have none, and lead on."""


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """Pairs that a filter selects, newest first, with the titles of their conversations by id, and all topics.

    `next_place`: where the next page begins; None: there are no more.
    """

    pairs: tuple[Pair, ...]
    titles: Mapping[str, str]
    topics: TopicTree
    sentence: str
    next_place: PairPlace | None


async def find_pairs(  # noqa: PLR0913 - whose, which, how many, from where on, and in which time zone
    wb: Workbench,
    owner: str,
    line: str,
    *,
    limit: int,
    place: PairPlace | None = None,
    zone: str = UTC_ZONE,
    as_of: datetime | None = None,
) -> FoundPairs:
    """The newest pairs after a place that a filter selects, in all conversations of a person.

    Raises:
        FilterError: the filter cannot be read; it says where.
        InputError: a term of it means something in one conversation only, or the time zone is none.
    """
    written = parse_filter(line)
    async with wb.store.read() as session:
        tree = expand_saved(written, await load_saved_filters(session, owner))
        require_across(tree)
        vocabulary = await _load_vocabulary(session, owner, tree)
        condition = lower_base(tree, Scope(as_of or now(), read_zone(zone), vocabulary))
        cheap, found = tuple(list_cheap(condition)), list[Pair]()
        looked, complete = 0, False
        while len(found) <= limit and looked < MAX_LOOKED_AT and not complete:
            batch = await load_newest(session, owner, cheap, place, LOOKED_AT)
            complete = len(batch) < LOOKED_AT
            looked += len(batch)
            found += narrow(condition, batch, batch, _no_estimate)
            if batch:
                place = PairPlace(batch[-1].created_at, batch[-1].id)
        pairs = tuple(found[:limit])
        if len(found) > limit:
            place, complete = PairPlace(pairs[-1].created_at, pairs[-1].id), False
        titles = await load_titles(session, owner, sorted({pair.conversation_id for pair in pairs}))
    return FoundPairs(pairs, titles, vocabulary.topics, describe_selected(written), None if complete else place)


async def check_across(wb: Workbench, owner: str, line: str, *, cursor: int) -> LineView:
    """What a filter over all conversations means as far as it is typed; the cursor counts the characters before it.

    A term that means something in one conversation only is a notice: what is typed cannot be used like that.

    Raises:
        FilterError: a saved filter in it is not there, or goes in a circle.
    """
    async with wb.store.read() as session:
        vocabulary = await _load_all_names(session, owner)
    completion = describe_completion(complete_line(line, cursor, vocabulary, say_filter))
    try:
        written = parse_filter(line)
    except FilterError as error:
        mistake = describe_filter_error(error)
        return LineView(
            ok=False, canonical="", sentence="", notices=(), error=mistake, command=None, completion=completion
        )
    notices: tuple[str, ...] = ()
    try:
        require_across(expand_saved(written, vocabulary.saved))
    except InputError as error:  # what is typed may become another term yet
        notices = (str(error),)
    return LineView(
        ok=not notices,
        canonical=format_filter(written),
        sentence=describe_selected(written),
        notices=notices,
        error=None,
        command=None,
        completion=completion,
    )


async def begin_with_copies(wb: Workbench, owner: str, pair_ids: Sequence[str]) -> str:
    """Begin a conversation with copies of these pairs, in the order in which they were first sent. Returns its id.

    It has the model of the newest of them, and its agent if that was not deleted.

    Raises:
        InputError: there are none.
        NotFoundError: one of them is not there.
        ConflictError: the reply of one of them is still running.
    """
    records = await load_copied(wb, owner, pair_ids)
    if not records:
        raise InputError("pairs", "are none. Select at least one.")
    newest = records[-1].pair
    async with wb.store.read() as session:
        agent = await find_agent(session, owner, newest.agent_id)
    agent_id = agent.id if agent is not None and agent.deleted_at is None else ""
    made = await create_conversation(wb, owner, model=newest.model, agent_id=agent_id)
    await insert_copies(wb, owner, made.id, records)
    return made.id


async def load_copied(wb: Workbench, owner: str, pair_ids: Sequence[str]) -> tuple[PairRecord, ...]:
    """These pairs, each once, in the order in which they were first sent.

    Raises:
        NotFoundError: one of them is not there.
        ConflictError: the reply of one of them is still running.
    """
    wanted = tuple(dict.fromkeys(pair_ids))
    async with wb.store.read() as session:
        records = [
            record
            for start in range(0, len(wanted), BATCH)
            for record in await load_records(session, owner, wanted[start : start + BATCH])
        ]
    missing = set(wanted) - {record.pair.id for record in records}
    if missing:
        raise NotFoundError("pair", min(missing))
    require_ended(records)
    return tuple(sorted(records, key=lambda record: (record.pair.created_at, record.pair.id)))


@shielded
async def insert_copies(wb: Workbench, owner: str, conversation_id: str, records: Sequence[PairRecord]) -> None:
    """Begin a conversation that has no pairs with copies of these.

    Raises:
        ConflictError: the reply of one of them is still running.
    """
    if not records:
        return
    copies, at = copy_records(records, conversation_id), now()
    async with wb.store.write() as session:
        revision = await next_revision(session, conversation_id, None)
        await insert_records(session, owner, conversation_id, copies, (), revision, wb.process_id)
        origins = [record.pair for record in records]
        sources = [Source(pair.conversation_id, pair.id, pair.version, at) for pair in origins]
        await insert_sources(session, owner, [(copy.pair.id, one) for copy, one in zip(copies, sources, strict=True)])
    wb.event_bus.publish_list(owner)


async def read_source(wb: Workbench, owner: str, pair_id: str) -> Source:
    """Which pair this one is a copy of.

    Raises:
        NotFoundError: it is a copy of none, or another's.
    """
    async with wb.store.read() as session:
        return await load_source(session, owner, pair_id)


async def _load_vocabulary(session: AsyncSession, owner: str, tree: Filter) -> Vocabulary:
    kinds = {type(leaf) for leaf in leaves(tree)}
    models, tools = await select_all_names(session, owner) if kinds & {Model, CalledTool} else ((), ())
    agents = await load_names(session, owner) if Agent in kinds else {}
    return Vocabulary(build_topic_tree(await load_topics(session, owner)), models, agents, tools)


async def _load_all_names(session: AsyncSession, owner: str) -> Vocabulary:
    models, tools = await select_all_names(session, owner)
    return Vocabulary(
        topics=build_topic_tree(await load_topics(session, owner)),
        models=models,
        agents=await load_names(session, owner),
        tools=tools,
        saved=await load_saved_filters(session, owner),
    )


def _no_estimate(pair: Pair) -> int:
    raise ValueError(f"Pair {pair.id} was to be counted without a model.")
