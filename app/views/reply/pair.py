"""A pair on the page: its figures and marks, the text of its request, the parts of its reply."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, assert_never

from typing_extensions import TypedDict

from app.domain.context.context import OutReason, decide_out
from app.domain.conversation.conversation import Mark, Message, Pair
from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parameters import describe_parameters
from app.domain.conversation.parts import (
    File,
    Image,
    Part,
    Text,
    TextFile,
    Thinking,
    ToolCall,
    ToolResult,
    list_attached,
    plain_text,
)
from app.domain.costs.costs import Cost, is_cut_short
from app.domain.run.rounds import count_rounds
from app.domain.stream.stream_events import StopReason
from app.domain.usage import Usage
from app.views.attachments.attachment import ScreenAttachment, show_attached
from app.views.conversation.pair import NO_FACTS, PairFacts, describe_replaced
from app.views.conversation.parts import FileView, ImageView, TextFileView, TextView, ThinkingView, describe_content
from app.views.reply.failure import FailureNote, show_failure
from app.views.reply.kept_back import KeptBackNote, note_kept_back
from app.views.reply.request_form import RequestForm, choose_form
from app.views.reply.tool_card import ToolAnswerView, ToolCardView, show_card
from app.views.structured.shown_reply import ReadReplyView
from app.views.usage.cost import describe_amount
from app.views.usage.figures import charged, money, number, short

ScreenPart = TextView | ThinkingView | ImageView | FileView | TextFileView | ToolCardView | ToolAnswerView


@dataclass(frozen=True, slots=True)
class SpentNote:
    """The usage and cost of a reply: `text` in short, `title` as a sentence.

    `cached` is the share of the input that the provider read from its cache, and the amount that this saved; "" if it
    read nothing from its cache.
    """

    text: str
    title: str
    cached: str = ""


_UNTOLD: Final = SpentNote(
    "tokens not reported", "The provider did not report the tokens of this reply, so its cost is unknown."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenPairView:
    """A pair with the data that the page shows. Times are ISO 8601.

    The pair:

    - `out`: the reason why the next send leaves it out; None: it is sent, or still running.
    - `out_for`: if it is sent to some models only, the names of the models that do not get it, "" for none.
    - `topic`: a path ("AI > Planning").
    - `topic_is_missing`: the pair names a topic that does not exist.
    - `model_name`: the display name of `model`.
    - `made_at`: the time of the shown version.
    - `tokens`: the estimated size of the pair for the chosen model.
    - `damage`: the values that cannot be read, one line each.
    - `begins`: it is the first pair in view that is sent, and the previous pair on screen is not sent.
    - `switched`: its agent differs from the agent of the previous pair on screen.

    Its request:

    - `attached`: the files that are sent with the text of the request.
    - `form`: the first form of its text on the page.
    - `unread`: no part of the request can be read.
    - `unsupported`: describes the parts that the chosen model does not accept, a sentence each.
    - `asked`: the parameters of the request, on one line, "" for none.
    - `kept_back`: the note about redacted secrets.

    Its reply:

    - `spent`: the usage and cost of the reply; None: unknown.
    - `replayed`: the reply was read from the database without a provider call.
    - `structured`: the reply must match a JSON schema.
    - `read`: the reply read as JSON; None: not read yet.
    """

    id: str
    conversation_id: str
    position: int
    topic: str | None
    topic_id: str | None
    topic_is_missing: bool = False
    model: str
    model_name: str
    agent_id: str | None
    agent: str | None
    stars: int
    flagged: bool
    mark: Mark | None
    lifecycle: Lifecycle
    out: OutReason | None
    error: FailureNote | None
    stop_reason: StopReason | None
    tokens: int | None
    unsupported: tuple[str, ...]
    spent: SpentNote | None
    run_id: str | None
    replayed: bool
    structured: bool
    asked: str
    read: ReadReplyView | None = None
    kept_back: KeptBackNote | None
    version: int
    versions: int
    made_at: str
    updated_at: str
    user_text: str
    parts: tuple[ScreenPart, ...]
    attached: tuple[ScreenAttachment, ...] = ()
    damage: tuple[str, ...] = ()
    form: RequestForm = RequestForm.PLAIN
    unread: bool = False
    begins: bool = False
    switched: bool = False
    out_for: str = ""


class ShownMarks(TypedDict, total=False):
    """The changed marks of a pair. The keys are fields of `ScreenPairView`; marks without a key are unchanged."""

    stars: int
    flagged: bool
    mark: Mark | None


def show_pair(pair: Pair, facts: PairFacts = NO_FACTS, model_name: str = "") -> ScreenPairView:
    """Convert a pair to the form that the page shows. `facts` depend on the current view options.

    `model_name` is the display name of its model; "": use the id of the model.
    """
    runs = pair.lifecycle in RUNNING
    user_text = plain_text(pair.request.parts)
    return ScreenPairView(
        id=pair.id,
        conversation_id=pair.conversation_id,
        position=pair.position,
        topic=facts.topic,
        topic_id=pair.topic,
        topic_is_missing=facts.topic_is_missing,
        model=pair.model,
        model_name=model_name or pair.model,
        agent_id=pair.agent_id,
        agent=pair.agent,
        stars=pair.stars,
        flagged=pair.flagged,
        mark=pair.mark,
        lifecycle=pair.lifecycle,
        out=None if runs else decide_out(pair, facts.checkpoint) or facts.out,
        error=None if pair.failure is None else show_failure(pair.failure, partial=_has_text(pair)),
        stop_reason=pair.stop_reason,
        tokens=None if runs else facts.tokens,
        unsupported=facts.unsupported,
        spent=_note_spent(pair, facts),
        run_id=pair.run_id,
        replayed=pair.replayed,
        structured=pair.parameters.reply_schema is not None,
        asked=describe_parameters(pair.parameters),
        kept_back=note_kept_back(
            pair.id, pair.position, describe_replaced(facts.secrets), describe_replaced(pair.redacted)
        ),
        version=pair.version,
        versions=pair.versions,
        made_at=(pair.created_at if pair.reply is None else pair.reply.created_at).isoformat(),
        updated_at=pair.updated_at.isoformat(),
        user_text=user_text,
        form=choose_form(user_text),
        attached=show_attached(list_attached(pair.request.parts), _list_lost(pair)),
        parts=() if pair.reply is None else show_parts(pair.reply.parts, running=runs),
        damage=tuple(_describe_damage(pair, one) for one in pair.damage),
        unread=not pair.request.parts and any(_is_of(pair.request, one) for one in pair.damage),
    )


def _describe_damage(pair: Pair, damage: Damage) -> str:
    for name, message in (("The request", pair.request), ("The reply", pair.reply)):
        if message is not None and _is_of(message, damage):
            return damage.describe(name)
    return damage.line


def _is_of(message: Message, damage: Damage) -> bool:
    return (damage.table, damage.row_id) == ("message", message.id)


def _list_lost(pair: Pair) -> frozenset[str]:
    return frozenset(one.row_id for one in pair.damage if one.table == "attachment")


def _has_text(pair: Pair) -> bool:
    return pair.reply is not None and plain_text(pair.reply.parts).strip() != ""


def show_parts(parts: tuple[Part, ...], *, running: bool) -> tuple[ScreenPart, ...]:
    """Convert each part of a reply to the form that the page shows, in order. `running`: the reply is running."""
    return tuple(_show_part(part, parts, running=running) for part in parts)


def show_grown(shown: tuple[ScreenPart, ...], parts: tuple[Part, ...], unchanged: int) -> tuple[ScreenPart, ...]:
    """Convert the parts of a running reply that has grown. `show_parts` would return the same.

    `shown` are the converted parts of the reply before it grew. The first `unchanged` of them are reused, except the
    card of a tool call whose result is among the new parts.
    """
    if unchanged > len(shown):  # other views are shown meanwhile, because the reply was read again
        unchanged = 0
    kept, new = shown[:unchanged], parts[unchanged:]
    if answered := {part.tool_call_id for part in new if isinstance(part, ToolResult)}:
        kept = tuple(
            show_card(part, parts, running=True)
            if isinstance(part, ToolCall) and part.tool_call_id in answered
            else view
            for part, view in zip(parts, kept, strict=False)
        )
    return (*kept, *(_show_part(part, parts, running=True) for part in new))


def _show_part(part: Part, parts: tuple[Part, ...], *, running: bool) -> ScreenPart:
    match part:
        case Text() | Image() | File():
            return describe_content(part)
        case TextFile():
            return TextFileView(name=part.name, text=part.text)
        case Thinking():
            return ThinkingView(text=part.text, redacted=part.redacted)
        case ToolCall():
            return show_card(part, parts, running=running)
        case ToolResult():
            return ToolAnswerView(tool_call_id=part.tool_call_id, is_error=part.is_error)
        case _:
            assert_never(part)


def show_spent(
    usage: Usage, cost: Cost, saving: Decimal | None = None, *, cut: bool = False, calls: int = 1
) -> SpentNote:
    """Return the note about the usage that a provider counted, and its cost.

    `saving` is the amount that the provider's cache saved; None: unknown. `cut`: the provider reported too little.
    `calls` is the number of provider calls of the reply. The input is the sum of all calls, although each call
    reads the input of earlier calls again.

    >>> from decimal import Decimal
    >>> spent = show_spent(Usage(input_tokens=1_200, output_tokens=15, cache_read_tokens=300), Cost(Decimal("0.0003")))
    >>> spent.text
    '1,500 tokens in, 15 out · $0.0003'
    >>> spent.title
    'Input 1,500 tokens (300 cached), output 15 tokens, as the provider counted. Cost: $0.0003'
    >>> show_spent(Usage(input_tokens=4_500), Cost(Decimal("0.0003")), calls=3).title
    'Input 4,500 tokens in 3 calls, output 0 tokens, as the provider counted. Cost: $0.0003'
    """
    written = usage.cache_write_tokens + usage.cache_write_1h_tokens
    read = usage.input_tokens + usage.cache_read_tokens + written
    cached = f" ({number(usage.cache_read_tokens)} cached)" if usage.cache_read_tokens else ""
    several = f" in {number(calls)} calls" if calls > 1 else ""
    charge = charged(describe_amount(cost), at_least=cost.at_least)
    least, more = ("at least ", " before it ended early, so it may be more") if cut else ("", "")
    # The words "at least" are written once, for the tokens and the cost.
    return SpentNote(
        f"{least}{short(read)} tokens in, {short(usage.output_tokens)} out · {charge.removeprefix(least)}",
        f"Input {number(read)} tokens{several}{cached}, output {number(usage.output_tokens)} tokens, "
        f"as the provider counted{more}. Cost: {charge.removeprefix('cost ')}",
        describe_cache_hit(usage, saving),
    )


def describe_cache_hit(usage: Usage, saving: Decimal | None) -> str:
    """Describe the share of the input that was read from the provider's cache, and the amount that this saved.

    Return "" if nothing was read from the cache. The amount is left out if it is unknown, and if the cache writes cost
    more than the cache reads saved. The share is rounded down, but is at least 1 %.

    >>> from decimal import Decimal
    >>> describe_cache_hit(Usage(input_tokens=300, cache_read_tokens=1_200), Decimal("0.0012"))
    '80 % from cache, $0.0012 saved'
    >>> describe_cache_hit(Usage(input_tokens=999, cache_read_tokens=1), None), describe_cache_hit(Usage(9), None)
    ('1 % from cache', '')
    """
    if not usage.cache_read_tokens:
        return ""
    share = max(1, 100 * usage.cache_read_tokens // usage.prompt_tokens)
    saved = f", {money(f'{saving:f}')} saved" if saving is not None and saving > 0 else ""
    return f"{share} % from cache{saved}"


def _note_spent(pair: Pair, facts: PairFacts) -> SpentNote | None:
    """Return the note about the usage of a pair's reply; None while it is running, or if nothing was used."""
    if pair.lifecycle in RUNNING or pair.reply is None or pair.replayed:
        return None
    error_class = None if pair.failure is None else pair.failure.error_class
    cut = is_cut_short(pair.lifecycle, error_class, reported=pair.usage is not None, faulty=pair.usage_is_partial)
    if pair.usage is not None:
        return show_spent(pair.usage, facts.cost, facts.cache_saving, cut=cut, calls=_count_calls(pair))
    return _UNTOLD if cut else None


def _count_calls(pair: Pair) -> int:
    """Return the number of provider calls of a pair's reply.

    The number follows from the rounds in the parts of the reply. If the reply did not succeed or ends with a tool
    result, the parts do not show the number: then return 1.
    """
    parts = () if pair.reply is None else pair.reply.parts
    if pair.lifecycle is not Lifecycle.SUCCEEDED or (parts and isinstance(parts[-1], ToolResult)):
        return 1
    return 1 + count_rounds(parts)
