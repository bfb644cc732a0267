"""Lines of the filter bar. A line is described while a person types it; its command runs when the line is entered.

    line = await check_line(ctx, LOCAL_OWNER, conversation_id, "s>=2 :flag", cursor=4)
    done = await run_line(ctx, LOCAL_OWNER, conversation_id, "s>=2 :flag")

The filter of a line selects the pairs that the page would show with this filter (`runs/send/composition.py`).
`domain/filters/bar/command_rules.py` decides which commands are allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never
from urllib.parse import urlencode

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import InputError
from app.domain.filters.bar.chips import Occurring
from app.domain.filters.bar.command_rules import (
    ConfirmCommand,
    Decision,
    PerformCommand,
    RefuseCommand,
    ShowText,
    decide_call,
    describe_command,
)
from app.domain.filters.bar.completion import Completion, complete_line
from app.domain.filters.evaluation.lookup import find_topics
from app.domain.filters.evaluation.scope import Vocabulary
from app.domain.filters.language.commands import (
    COMMANDS,
    BarLine,
    Command,
    CommandCall,
    Delete,
    Export,
    FileUnder,
    Fork,
    Rate,
    SetFlag,
    SetMark,
)
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_line
from app.domain.filters.language.syntax import TopicTerm
from app.domain.text.pattern import Pattern
from app.domain.topics.topics import PATH_SEPARATOR, TopicTree, build_topic_tree
from app.runs.app_context import AppContext
from app.runs.conversation.forks import fork_conversation
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.request.preview import Composed
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.store.agents.agents import load_names
from app.store.conversation.conversations import load_conversation
from app.store.filters.filter_queries import select_names, select_occurring
from app.store.filters.filters import load_saved_filters
from app.store.topics.topics import load_topics
from app.views.conversation.marks import describe_changes
from app.views.filters.filter_line import (
    CommandView,
    CompletionView,
    FilterLineView,
    Outcome,
    OutcomeView,
    SuggestionView,
    describe_decision,
    describe_done,
    describe_filter_error,
)

DEFAULT_OPTIONS = ViewOptions()


async def check_line(  # noqa: PLR0913 - the line, the cursor and the view options
    ctx: AppContext, owner: str, conversation_id: str, line: str, *, cursor: int, options: ViewOptions = DEFAULT_OPTIONS
) -> FilterLineView:
    """Describe a line of the filter bar while it is typed: its meaning, its errors, completions. Nothing is changed.

    `cursor` is the number of characters in front of the cursor.

    Raises:
        NotFoundError: this owner has no such conversation.
        InputError: the model or the time zone cannot be used.
    """
    async with ctx.store.read() as session:
        vocabulary = await _load_vocabulary(session, owner, conversation_id)
    completion = _describe_completion(complete_line(line, cursor, vocabulary))
    try:
        read = parse_line(line)
        composed = await _compose(ctx, owner, conversation_id, read, options)
    except FilterError as error:
        return FilterLineView(
            ok=False,
            canonical="",
            sentence="",
            notices=(),
            error=describe_filter_error(error),
            command=None,
            completion=completion,
        )
    return FilterLineView(
        ok=True,
        canonical=format_filter(read.filter),
        sentence=composed.base.sentence,
        notices=composed.base.notices,
        error=None,
        command=None if read.call is None else _describe_call(read.call, composed, vocabulary.topics, options.topic),
        completion=completion,
        sent=composed.composition.x,
        pairs=len(composed.base.index),
    )


async def find_occurring(ctx: AppContext, owner: str, conversation_id: str) -> Occurring:
    """List the values in this conversation that the filter bar offers as chips.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        topics = build_topic_tree(await load_topics(session, owner))
        return await select_occurring(session, owner, conversation_id, topics)


async def run_line(  # noqa: PLR0913 - the line and the view options
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    line: str,
    options: ViewOptions = DEFAULT_OPTIONS,
    *,
    confirmed: bool = False,
) -> OutcomeView:
    """Run the command of a line on the pairs that its filter selects. `confirmed`: the person confirmed the command.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the line cannot be parsed. The error has the place of the fault.
        InputError: the line has no command, or the model or the time zone cannot be used.
        ConflictError: a pair to delete or copy has a running reply.
    """
    read = parse_line(line)
    if read.call is None:
        raise InputError("line", f"has no command. Write one after a colon: {', '.join(COMMANDS)}.")
    composed = await _compose(ctx, owner, conversation_id, read, options)
    async with ctx.store.read() as session:
        topics = build_topic_tree(await load_topics(session, owner))
    pair_ids = _selected(composed)
    command = read.call.command
    decision, topic_id = _decide(read.call, composed, topics, options.topic)
    match decision:
        case ConfirmCommand(question) if not confirmed:
            return _say("ask", question, len(pair_ids))
        case PerformCommand() | ConfirmCommand():
            pass
        case ShowText(what):
            return _say("told", what, len(pair_ids))
        case RefuseCommand(reason):
            return _say("refused", reason, len(pair_ids))
        case _:
            assert_never(decision)
    path = "" if topic_id is None else topics.path_text(topic_id)
    done = _say("done", describe_done(command, len(pair_ids), path), len(pair_ids))
    match command:
        case Export():
            return replace(done, export_url=write_export_url(conversation_id, read, command, composed, options))
        case Fork():
            return replace(done, conversation_id=await fork_conversation(ctx, owner, conversation_id, pair_ids))
        case _:
            changes = [PairMarks(pair_id, _marks(command, topic_id)) for pair_id in pair_ids]
            undo = await mark_pairs(ctx, owner, conversation_id, changes)
            return replace(done, undo=describe_changes(undo))


def write_export_url(
    conversation_id: str, read: BarLine, export: Export, composed: Composed, options: ViewOptions
) -> str:
    """Return the URL that exports the pairs which a line of the filter bar selects.

    The URL contains everything that the filter depends on, such as the time and the topic. So the export has exactly
    the pairs that the line selects now.
    """
    query = {
        "format": export.format.value,
        "filter": format_filter(read.filter),
        "order": export.order.value,
        "filename": export.filename,
        "model": options.model,
        "topic": options.topic,
        "zone": options.zone,
        "as_of": composed.base.as_of.isoformat().replace("+00:00", "Z"),
    }
    given = {name: value for name, value in query.items() if value is not None}
    return f"/api/v1/conversations/{conversation_id}/export?{urlencode(given)}"


async def _compose(ctx: AppContext, owner: str, conversation_id: str, read: BarLine, options: ViewOptions) -> Composed:
    return await compose_view(ctx, owner, conversation_id, replace(options, filter=format_filter(read.filter)))


def _selected(composed: Composed) -> tuple[str, ...]:
    return tuple(pair.pair_id for pair in composed.composition.visible.pairs)


def _decide(
    call: CommandCall, composed: Composed, topics: TopicTree, chosen: str | None
) -> tuple[Decision, str | None]:
    """Decide whether a command may run. Return the decision, and the id of the topic if the command sets a topic."""
    topic: str | RefuseCommand | None = None
    if isinstance(call.command, FileUnder):
        topic = _find_topic(call.command, topics, chosen)
        if isinstance(topic, RefuseCommand):
            return topic, None
    return decide_call(call, composed.base.tree, len(_selected(composed))), topic


def _find_topic(command: FileUnder, topics: TopicTree, chosen: str | None) -> str | RefuseCommand:
    if command.path is None:
        if chosen is None or chosen not in topics.paths:
            return RefuseCommand("No topic is chosen in the message box. Choose or name one.")
        return chosen
    found = find_topics(topics, TopicTerm(tuple(Pattern((name,)) for name in command.path)))
    if len(found) == 1:
        return found[0]
    written = PATH_SEPARATOR.join(command.path)
    if not found:
        return RefuseCommand(f'There is no topic "{written}", or several end like this. Create it, or write its path.')
    paths = " or ".join(topics.path_text(topic_id) for topic_id in found)
    return RefuseCommand(f'"{written}" can mean {paths}. Write more of the path.')


def _marks(command: Command, topic_id: str | None) -> Marks:
    match command:
        case FileUnder():
            return Marks(topic_id=topic_id)
        case Rate(stars):
            return Marks(stars=stars)
        case SetFlag(flagged):
            return Marks(flagged=flagged)
        case SetMark(mark):
            return Marks(mark=mark)
        case Delete():
            return Marks(deleted=True)
        case Export() | Fork():
            raise TypeError(f"{type(command).__name__} does not mark pairs")
        case _:
            assert_never(command)


def _describe_call(call: CommandCall, composed: Composed, topics: TopicTree, chosen: str | None) -> CommandView:
    count = len(_selected(composed))
    decision, _ = _decide(call, composed, topics, chosen)
    would, what = describe_decision(decision, describe_command(call.command, count))
    return CommandView(_name_of(call.command), what, would, count)


def _name_of(command: Command) -> str:
    match command:
        case Export():
            return "export"
        case FileUnder():
            return "topic"
        case Rate():
            return "star"
        case SetFlag(flagged):
            return "flag" if flagged else "unflag"
        case SetMark(mark):
            return mark.value
        case Delete():
            return "delete"
        case Fork():
            return "fork"
        case _:
            assert_never(command)


def _say(outcome: Outcome, message: str, count: int) -> OutcomeView:
    return OutcomeView(outcome, message, count, (), None, None)


async def _load_vocabulary(session: AsyncSession, owner: str, conversation_id: str) -> Vocabulary:
    await load_conversation(session, owner, conversation_id)
    models, tools = await select_names(session, owner, conversation_id)
    return Vocabulary(
        topics=build_topic_tree(await load_topics(session, owner)),
        models=models,
        agents=await load_names(session, owner),
        tools=tools,
        saved=await load_saved_filters(session, owner),
    )


def _describe_completion(completion: Completion) -> CompletionView:
    suggestions: Sequence[SuggestionView] = [SuggestionView(one.text, one.means) for one in completion.suggestions]
    return CompletionView(completion.start, completion.end, tuple(suggestions))
