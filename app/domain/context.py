"""What goes into a request: the one pure function behind the send, the preview, the dry run and the HTTP API.

In order: the cards (system prompt, prelude, checkpoint summary), the visible pairs top to bottom less those that are
OUT, the draft, the tools. Nothing is added, shortened or dropped: what cannot be sent to the chosen model is listed
in `unsupported`, what is left out is listed in `out` with its reason. Rules and words are those of `context.md`.

    >>> from app.domain.model_profile import ModelProfile
    >>> built = build_request(View(draft=(Text("Hello"),)), ModelProfile("offline:demo", "Demo"))
    >>> built.request.messages[0].role
    'user'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby

from app.domain.conversation import Message, Pair, Parameters
from app.domain.lifecycle import Lifecycle
from app.domain.model_profile import ModelProfile, split_model_name
from app.domain.parts import File, Image, Part, Text, Thinking, ToolCall, ToolResult, has_attachment, plain_text
from app.domain.request import Request, RequestMessage, ToolDefinition

SUMMARY_HEADING = "Previous Conversation Summary:"


class OutReason(StrEnum):
    """Why a pair is left out of a request, as its badge says."""

    OVER_BUDGET = "over_budget"
    BEFORE_CHECKPOINT = "before_checkpoint"
    FAILED = "failed"
    FILTERED = "filtered"


class CardKind(StrEnum):
    """The cards at the top of the history; together they are the system text."""

    SYSTEM_PROMPT = "system_prompt"
    PRELUDE = "prelude"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Card:
    """A piece of the system text, as it stands on the screen and as it is sent."""

    kind: CardKind
    text: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An active summary: pairs before `position` are OUT, the summary stands for them."""

    summary: str
    position: int


@dataclass(frozen=True, slots=True)
class View:
    """Everything on the screen that a send depends on. `pairs` are the visible ones, oldest first."""

    pairs: tuple[Pair, ...] = ()
    draft: tuple[Part, ...] = ()
    system_prompt: str = ""
    prelude: str | None = None
    checkpoint: Checkpoint | None = None
    parameters: Parameters = field(default_factory=Parameters)
    tools: tuple[ToolDefinition, ...] = ()


@dataclass(frozen=True, slots=True)
class Out:
    """A visible pair that is not sent, and why."""

    pair_id: str
    reason: OutReason


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A part that the chosen model cannot take, in a pair (None: in the draft), and why, in plain words."""

    pair_id: str | None
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class BuiltRequest:
    """A request with the account of what is not in it."""

    request: Request
    out: tuple[Out, ...]
    unsupported: tuple[Unsupported, ...]


def build_cards(view: View) -> tuple[Card, ...]:
    """The cards at the top of the history, without blank ones."""
    summary = view.checkpoint.summary if view.checkpoint else ""
    cards = (
        Card(CardKind.SYSTEM_PROMPT, view.system_prompt),
        Card(CardKind.PRELUDE, view.prelude or ""),
        Card(CardKind.SUMMARY, f"{SUMMARY_HEADING}\n{summary}" if summary.strip() else ""),
    )
    return tuple(card for card in cards if card.text.strip())


def decide_out(pair: Pair, checkpoint: Checkpoint | None = None) -> OutReason | None:
    """Why a visible pair is not sent, None if it is."""
    if checkpoint is not None and pair.position < checkpoint.position:
        return OutReason.BEFORE_CHECKPOINT
    if pair.lifecycle is Lifecycle.ERROR or pair.reply is None or not _has_content(pair.reply):
        return OutReason.FAILED
    return None


def build_request(view: View, profile: ModelProfile) -> BuiltRequest:
    """The request that sending this view to this model makes, and what is not in it."""
    out: list[Out] = []
    unsupported: list[Unsupported] = []
    messages: list[RequestMessage] = []
    for pair in view.pairs:
        reason = decide_out(pair, view.checkpoint)
        if reason is None:
            messages += _pair_messages(pair, profile, unsupported)
        else:
            out.append(Out(pair.id, reason))
    if draft := tuple(_supported(view.draft, None, profile, unsupported)):
        messages.append(RequestMessage("user", draft))
    system = "\n\n".join(card.text for card in build_cards(view))
    request = Request(profile.model, system, tuple(messages), view.parameters, view.tools)
    return BuiltRequest(request, tuple(out), tuple(unsupported))


def _has_content(message: Message) -> bool:
    return any(not isinstance(part, Text | Thinking) or part.text.strip() for part in message.parts)


def _pair_messages(pair: Pair, profile: ModelProfile, unsupported: list[Unsupported]) -> Iterator[RequestMessage]:
    asked = pair.request.parts
    if plain_text(asked).strip() or has_attachment(asked):
        parts = tuple(_supported(asked, pair.id, profile, unsupported))
        if parts:
            yield RequestMessage("user", parts, pair.id)
    if pair.reply is not None:
        yield from _rounds(_supported(pair.reply.parts, pair.id, profile, unsupported), pair.id)


def _rounds(parts: Iterable[Part], pair_id: str) -> Iterator[RequestMessage]:
    """A reply as the wire wants it: what the assistant said and called, then the tools' results, and so on."""
    for is_result, run in groupby(parts, key=lambda part: isinstance(part, ToolResult)):
        yield RequestMessage("tool" if is_result else "assistant", tuple(run), pair_id)


def _supported(
    parts: tuple[Part, ...], pair_id: str | None, profile: ModelProfile, unsupported: list[Unsupported]
) -> Iterator[Part]:
    """The parts this model takes; the others are put on record in `unsupported`."""
    answered = {part.tool_call_id for part in parts if isinstance(part, ToolResult)}
    for part in parts:
        if isinstance(part, Text) and part.text.strip():  # the usual case, said first for long histories
            yield part
        elif _never_sent(part):
            continue
        elif reason := _why_unsupported(part, profile, answered):
            unsupported.append(Unsupported(pair_id, type(part).__name__.lower(), reason))
        else:
            yield part


def _never_sent(part: Part) -> bool:
    """By rule: blank text (providers refuse it) and thinking that nobody signed (no provider wants it back)."""
    return isinstance(part, Text) or (isinstance(part, Thinking) and part.vendor is None)


def _why_unsupported(part: Part, profile: ModelProfile, answered: set[str]) -> str | None:
    match part:
        case Image() if not profile.images:
            return f"{profile.name} does not take images."
        case File() if not profile.files:
            return f"{profile.name} does not take files."
        case Thinking() if part.vendor != split_model_name(profile.model)[0]:
            return f"This thinking is signed by {part.vendor}: {profile.name} does not take it back."
        case ToolCall() if part.tool_call_id not in answered:
            return f"The call of {part.name} has no result: providers refuse calls without one."
        case _:
            return None
