"""What is in view of a conversation and what a send would carry, as the page shows it beside the pairs."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.context.context import OutReason
from app.domain.errors import InviewError
from app.domain.filters.errors import FilterError
from app.domain.tools.inclusion import Choice
from app.domain.tools.tools import Tool
from app.views.request.composition import EstimateView
from app.views.screen.parameters import SettingView
from app.views.usage.figures import number


@dataclass(frozen=True, slots=True)
class SentToolView:
    """A tool that a send carries. `tokens` are those of its definition."""

    name: str
    title: str
    server: str
    tokens: str


@dataclass(frozen=True, slots=True)
class ToolCountView:
    """A send carries `count` of `of` tools. `able`: the model can call tools. `sum` tells what they take together."""

    count: int
    of: int
    able: bool
    sum: str = ""
    sent: tuple[SentToolView, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusalView:
    """Why a view cannot be had. Of a filter also where: `position` counts characters from 0, -1: nowhere."""

    message: str
    position: int = -1
    found: str = ""
    expected: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextView:
    """How the page looks at a conversation, and what of it would be sent with the draft.

    The conversation has `total` pairs. `x` of the `y` in view are sent: those from position `boundary` on, the others
    are out for `boundary_reason`. The oldest of those sent stands at position `first_sent`, 0 if there is none.
    `description` says the filter in plain words, `notices` which names in it mean nothing.
    `as_of` is the instant at which ages were read (ISO 8601), "" where the filter speaks of none: a send with it means
    what the screen means. `prelude` is the card about the person before all pairs. `secrets` are the kinds of secrets
    in the draft that go out as marks. `settings` are the parameters that the model is asked with. `countable`: its
    provider can be asked now what the send comes to. `system`: a system text goes along. `set_up`: its provider is set
    up; otherwise its window is unknown, and nothing is out for it.
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


def show_tools(choice: Choice) -> ToolCountView | None:
    """How many tools go along; None where there are none to go along."""
    if not choice.decided:
        return None
    chosen, overhead = choice.chosen, choice.offer.overhead
    sent = tuple(_show_sent(one.tool, one.tokens) for one in chosen)
    having_any = f", {number(overhead)} of them for having any tools" if overhead else ""
    total = f"~{number(choice.tokens)} tokens in each send{having_any}" if chosen else ""
    return ToolCountView(len(chosen), len(choice.decided), choice.offer.able, total, sent)


def _show_sent(tool: Tool, tokens: int) -> SentToolView:
    return SentToolView(tool.name, tool.title or tool.tool_name, tool.server_name, f"~{number(tokens)}")


def show_refusal(error: InviewError) -> RefusalView:
    """Why a view cannot be had."""
    if isinstance(error, FilterError):
        return RefusalView(error.message, error.position, error.found or "", error.expected or "", error.hint or "")
    return RefusalView(str(error))
