"""The content of a request: one pure function builds it for the send, the preview, the dry run and the HTTP API.

The order is: the cards (agent, system prompt, prelude, checkpoint summary), the visible pairs from top to bottom except
those that are OUT, the draft, the tools. Nothing is added, shortened or dropped silently: `unsupported` lists the parts
that the chosen model does not accept, `out` lists the pairs that are left out, with the reason.

    >>> from app.domain.models.model_profile import ModelProfile
    >>> built = build_request(View(draft=(Text("Hello"),)), ModelProfile("offline:demo", "Demo"))
    >>> built.request.messages[0].role
    'user'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from typing import TypeGuard

from app.domain.attachments.attachments import PDF
from app.domain.context.middleware import change_request
from app.domain.conversation.conversation import Checkpoint, Pair, Parameters, Replaced
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import (
    File,
    Image,
    Part,
    SentPart,
    SentTextFile,
    Text,
    TextFile,
    Thinking,
    ToolCall,
    ToolResult,
    has_attachment,
    plain_text,
    write_replacement,
)
from app.domain.models.model_profile import ModelProfile, vendor_and_name
from app.domain.privacy.redaction import SIGNED
from app.domain.request.request import Request, RequestMessage, ToolDefinition

SUMMARY_HEADING = "Previous Conversation Summary:"


class OutReason(StrEnum):
    """The reason why a pair is left out of a request. The badge of the pair shows it."""

    OVER_BUDGET = "over_budget"
    BEFORE_CHECKPOINT = "before_checkpoint"
    FAILED = "failed"
    FILTERED = "filtered"
    DAMAGED = "damaged"


class CardKind(StrEnum):
    """The kinds of cards at the top of the history. Together the cards are the system text."""

    AGENT = "agent"
    SYSTEM_PROMPT = "system_prompt"
    PRELUDE = "prelude"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Card:
    """A part of the system text. The screen shows exactly the text that is sent."""

    kind: CardKind
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """Everything on the screen that a send depends on. `pairs` are the visible pairs, oldest first.

    `redact`: secrets in the request are replaced by placeholders.
    """

    pairs: tuple[Pair, ...] = ()
    draft: tuple[Part, ...] = ()
    agent_prompt: str = ""
    system_prompt: str = ""
    prelude: str | None = None
    checkpoint: Checkpoint | None = None
    parameters: Parameters = field(default_factory=Parameters)
    tools: tuple[ToolDefinition, ...] = ()
    redact: bool = False


@dataclass(frozen=True, slots=True)
class Out:
    """A visible pair that is not sent, with the reason."""

    pair_id: str
    reason: OutReason


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A part that is not sent, because the chosen model does not accept it.

    - `pair_id`: the pair of the part; None if the part is in the draft.
    - `kind`: the kind of part.
    - `reason`: the reason as a text for people.
    """

    pair_id: str | None
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class BuiltRequest:
    """A request, with the pairs (`out`) and parts (`unsupported`) that it does not contain.

    `replaced` are the secrets that redaction replaced by placeholders; None if redaction is off.
    """

    request: Request
    out: tuple[Out, ...]
    unsupported: tuple[Unsupported, ...]
    replaced: tuple[Replaced, ...] | None = None


def build_cards(view: View) -> tuple[Card, ...]:
    """Return the cards at the top of the history. Blank cards are left out."""
    summary = view.checkpoint.summary if view.checkpoint else ""
    cards = (
        Card(CardKind.AGENT, view.agent_prompt),
        Card(CardKind.SYSTEM_PROMPT, view.system_prompt),
        Card(CardKind.PRELUDE, view.prelude or ""),
        Card(CardKind.SUMMARY, f"{SUMMARY_HEADING}\n{summary}" if summary.strip() else ""),
    )
    return tuple(card for card in cards if card.text.strip())


def join_cards(view: View) -> str:
    """Return the system text: the texts of all cards, as on the screen."""
    return "\n\n".join(card.text for card in build_cards(view))


def decide_out(pair: Pair, checkpoint: Checkpoint | None = None) -> OutReason | None:
    """Return the reason why a visible pair is not sent, or None if it is sent.

    A pair with any unreadable value is not sent.
    """
    if pair.damage:
        return OutReason.DAMAGED
    if checkpoint is not None and pair.position < checkpoint.position:
        return OutReason.BEFORE_CHECKPOINT
    if pair.lifecycle is Lifecycle.ERROR or pair.reply is None or not has_content(pair.reply.parts):
        return OutReason.FAILED
    return None


def build_request(view: View, profile: ModelProfile) -> BuiltRequest:
    """Build the request for this view and model. The result lists the parts that the request leaves out."""
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
    request = Request(profile.model, join_cards(view), tuple(messages), view.parameters, view.tools)
    return _build(request, out, unsupported, redact=view.redact)


def continue_request(
    first: Request, parts: tuple[Part, ...], profile: ModelProfile, *, redact: bool = False
) -> BuiltRequest:
    """Build the request that continues a reply.

    `first` is the reply's first request, `parts` are the parts received so far.

    A later send contains this reply with identical text, so its request begins like the request built here. `redact`
    must have the same value as for the first request.
    """
    unsupported: list[Unsupported] = []
    rounds = _rounds(_supported(parts, None, profile, unsupported), None)
    return _build(replace(first, messages=(*first.messages, *rounds)), [], unsupported, redact=redact)


def list_refused(draft: tuple[Part, ...], profile: ModelProfile) -> tuple[Unsupported, ...]:
    """List the parts of a draft that this model does not accept."""
    unsupported: list[Unsupported] = []
    for _ in _supported(draft, None, profile, unsupported):
        pass
    return tuple(unsupported)


def list_unsupported(pair: Pair, profile: ModelProfile) -> tuple[Unsupported, ...]:
    """List the parts of a pair that this model does not accept. Open tool calls of a running reply are not listed."""
    unsupported: list[Unsupported] = []
    _pair_messages(pair, profile, unsupported)
    running = pair.lifecycle in RUNNING
    return tuple(one for one in unsupported if not (running and one.kind == ToolCall.__name__.lower()))


def has_content(parts: tuple[Part, ...]) -> bool:
    """Return true if a reply has content to send.

    Providers refuse a blank text alone, and a tool call without a result.
    """
    if _is_one_text(parts):
        return True
    answered = {part.tool_call_id for part in parts if isinstance(part, ToolResult)}
    for part in parts:
        match part:
            case Text() if part.text.strip():
                return True
            case Text() | Thinking():
                continue
            case ToolCall() if part.tool_call_id not in answered:
                continue
            case _:
                return True
    return False


def _build(request: Request, out: list[Out], unsupported: list[Unsupported], *, redact: bool) -> BuiltRequest:
    if not redact:
        return BuiltRequest(request, tuple(out), tuple(unsupported))
    changed = change_request(request)
    left_out = (Unsupported(pair_id, "thinking", SIGNED) for pair_id in changed.left_out)
    return BuiltRequest(changed.request, tuple(out), (*unsupported, *left_out), changed.replaced)


def _pair_messages(pair: Pair, profile: ModelProfile, unsupported: list[Unsupported]) -> list[RequestMessage]:
    request_parts, messages = pair.request.parts, list[RequestMessage]()
    if _is_one_text(request_parts):
        messages.append(RequestMessage("user", request_parts, pair.id))
    elif plain_text(request_parts).strip() or has_attachment(request_parts):
        parts = tuple(_supported(request_parts, pair.id, profile, unsupported))
        if parts:
            messages.append(RequestMessage("user", parts, pair.id))
    if pair.reply is not None:
        answered = pair.reply.parts
        if _is_one_text(answered):
            messages.append(RequestMessage("assistant", answered, pair.id))
        else:
            messages += _rounds(_supported(answered, pair.id, profile, unsupported), pair.id)
    return messages


def _is_one_text(parts: tuple[Part, ...]) -> TypeGuard[tuple[Text]]:
    """Return true for a single text that is not blank.

    This usual case is checked first for speed: a long history has thousands of such messages.
    """
    return len(parts) == 1 and isinstance(words := parts[0], Text) and not words.text.isspace() and words.text != ""


def _rounds(parts: Iterable[SentPart], pair_id: str | None) -> Iterator[RequestMessage]:
    """Yield the messages of a reply in turn: text and tool calls of the assistant, then the tool results, and so on."""
    for is_result, run in groupby(parts, key=lambda part: isinstance(part, ToolResult)):
        yield RequestMessage("tool" if is_result else "assistant", tuple(run), pair_id)


def _supported(
    parts: tuple[Part, ...], pair_id: str | None, profile: ModelProfile, unsupported: list[Unsupported]
) -> Iterator[SentPart]:
    """Yield the parts that this model accepts. Add the others to `unsupported`, except parts that are never sent."""
    answered = {part.tool_call_id for part in parts if isinstance(part, ToolResult)}
    for part in parts:
        if isinstance(part, Text) and part.text.strip():
            yield part
        elif isinstance(part, TextFile):
            yield SentTextFile(part)
        elif _never_sent(part):
            continue
        elif reason := _why_unsupported(part, profile, answered):
            unsupported.append(Unsupported(pair_id, type(part).__name__.lower(), reason))
        elif isinstance(part, ToolResult):
            yield _supported_result(part, pair_id, profile, unsupported)
        else:
            yield part


def _supported_result(
    result: ToolResult, pair_id: str | None, profile: ModelProfile, unsupported: list[Unsupported]
) -> ToolResult:
    """Return the result with the content that this model accepts.

    All other content is replaced by a text for the model.
    """
    kept: list[Text | Image | File] = []
    for piece in result.content:
        reason = _why_unsupported(piece, profile, set())
        if reason is None or isinstance(piece, Text):
            kept.append(piece)
            continue
        unsupported.append(Unsupported(pair_id, type(piece).__name__.lower(), reason))
        line = "\n" if kept else ""
        kept.append(Text(line + write_replacement(piece)))
    return replace(result, content=tuple(kept))


def _never_sent(part: Part) -> bool:
    """Return true for blank text, which providers refuse, and for unsigned thinking, which no provider accepts."""
    return isinstance(part, Text) or (isinstance(part, Thinking) and part.vendor is None)


def _why_unsupported(part: Part, profile: ModelProfile, answered: set[str]) -> str | None:
    match part:
        case Image() if not profile.images:
            return f"{profile.name} does not support images."
        case File() if not profile.files:
            return f"{profile.name} does not support files."
        case File() if part.media_type != PDF and not part.media_type.startswith("text/"):
            return f"No model supports files of the type {part.media_type}. Send pictures as PNG, JPEG, GIF or WebP."
        case Thinking() if part.vendor != vendor_and_name(profile.model)[0]:
            return f"This thinking is signed by {part.vendor}, so {profile.name} does not accept it."
        case ToolCall() if part.tool_call_id not in answered:
            return f"The call of {part.name} has no result, and providers refuse tool calls without a result."
        case _:
            return None
