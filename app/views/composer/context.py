"""The context of the next send as the page shows it: the view options, and the size of the send."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.context.context import OutReason
from app.domain.conversation.conversation import ToolMode
from app.domain.errors import InputError, InviewError
from app.domain.filters.language.errors import FilterError
from app.domain.tools.inclusion import Choice
from app.domain.tools.tools import Tool
from app.views.composer.parameters import SettingView
from app.views.input_errors import describe_input
from app.views.inspector.tool_choice import WHY
from app.views.request.composition import EstimateView
from app.views.usage.figures import number


@dataclass(frozen=True, slots=True)
class SentToolView:
    """A tool of the next send. `tokens` describes the size of its definition."""

    name: str
    title: str
    server: str
    tokens: str


@dataclass(frozen=True, slots=True)
class OmittedToolView:
    """A tool that the next send does not include, and why. `server` is "" for a tool that is not available."""

    name: str
    title: str
    server: str
    why: str


@dataclass(frozen=True, slots=True)
class ToolCountView:
    """The tools of the next send: `count` of `of` tools are sent. `sent` lists these, `omitted` lists the others.

    `able`: the model can call tools. `sum` describes the total size of those that are sent.
    """

    count: int
    of: int
    able: bool
    sum: str = ""
    sent: tuple[SentToolView, ...] = ()
    omitted: tuple[OmittedToolView, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedSendView:
    """The send of a draft to one of several models: the model's display `name`, the number of pairs and the size.

    `first_sent` is the position of the oldest pair that this model gets, 0 if it gets none.
    """

    name: str
    x: int
    estimate: EstimateView
    first_sent: int = 0


@dataclass(frozen=True, slots=True)
class RefusalView:
    """The reason why the view options cannot be used.

    `position` is the position of the error in the filter, from 0, or -1 if it has none.
    """

    message: str
    position: int = -1
    found: str = ""
    expected: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextView:
    """The view options of the page, and the size of a send with the draft.

    If the send goes to several models, all fields except `compared` and `first_sent` are about the first one.

    The pairs:

    - `total`: the number of pairs of the conversation.
    - `y`, `x`: the number of pairs in view, and of those that are sent.
    - `boundary`, `boundary_reason`: pairs in view at lower positions than `boundary` are OUT, for this reason.
    - `first_sent`: the position of the oldest pair that is sent (to any of the models), 0 if there is none.

    The filter:

    - `description`: the filter in plain words.
    - `notices`: a sentence for each name in the filter that does not exist or is ambiguous.
    - `as_of`: the instant that ages in the filter and the time in `prelude` refer to (ISO 8601), "" if there are
      neither. A send with `as_of` selects the same pairs and has the same time as the screen.

    The request:

    - `prelude`: the text about the person that is sent before all pairs.
    - `secrets`: the kinds of the secrets that are redacted from the draft.
    - `settings`: the parameters of the request.
    - `countable`: the provider can count the send now.
    - `system`: the send has a system text.
    - `set_up`: the provider is set up; otherwise its window is unknown and leaves no pair OUT.
    - `compared`: the sends to all models, if there are several.
    """

    filter: str
    model: str
    topic: str | None
    description: str
    notices: tuple[str, ...]
    x: int
    y: int
    total: int
    boundary: int | None
    boundary_reason: OutReason | None
    first_sent: int
    estimate: EstimateView
    tools: ToolCountView | None
    as_of: str
    prelude: str | None
    secrets: tuple[str, ...]
    settings: tuple[SettingView, ...]
    countable: bool
    system: bool
    set_up: bool
    compared: tuple[ComparedSendView, ...] = ()


def show_tools(choice: Choice) -> ToolCountView | None:
    """Describe the tools of a send for the page. Return None if no tools are set up."""
    omitted = _list_omitted(choice)
    if not choice.decided and not omitted:
        return None
    chosen, overhead = choice.chosen, choice.offer.overhead
    sent = tuple(_show_sent(one.tool, one.tokens) for one in chosen)
    having_any = f", {number(overhead)} of them for using tools at all" if overhead else ""
    total = f"~{number(choice.tokens)} tokens in each send{having_any}" if chosen else ""
    return ToolCountView(len(chosen), len(chosen) + len(omitted), choice.offer.able, total, sent, omitted)


def _list_omitted(choice: Choice) -> tuple[OmittedToolView, ...]:
    """List the tools that are not sent. In the mode Manual, a ticked tool whose server is off is one of them."""
    offer = choice.offer
    decided = ((one.sized.tool, one.why) for one in choice.decided if not one.why.chosen)
    there = tuple(
        OmittedToolView(tool.name, tool.title or tool.tool_name, tool.server_name, WHY[why]) for tool, why in decided
    )
    known = {one.tool.name for one in offer.tools}
    missing = sorted(offer.ticked - known) if offer.mode is ToolMode.MANUAL else []
    return (*there, *(OmittedToolView(name, name, "", "ticked, but its server is off") for name in missing))


def _show_sent(tool: Tool, tokens: int) -> SentToolView:
    return SentToolView(tool.name, tool.title or tool.tool_name, tool.server_name, f"~{number(tokens)}")


def show_refusal(error: InviewError) -> RefusalView:
    """Return the reason why the view options cannot be used, from the error that they caused."""
    if isinstance(error, FilterError):
        return RefusalView(error.message, error.position, error.found or "", error.expected or "", error.hint or "")
    return RefusalView(describe_input(error.field, error.reason) if isinstance(error, InputError) else str(error))
