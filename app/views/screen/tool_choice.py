"""The tools of a conversation in the inspector: the mode that chooses them, the price of each and of a change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.domain.conversation.conversation import ToolMode
from app.domain.tools.inclusion import Why
from app.language.translation import translate
from app.views.figures import UNKNOWN, money, number, plural
from app.views.tools import ChosenToolView, ConversationToolsView, ToolModeView

MODES: Final = (ToolMode.CACHED, ToolMode.AUTO, ToolMode.ALL_ON, ToolMode.MANUAL, ToolMode.ALL_OFF)
"""In the order in which they are offered. Their texts: `screen.tool_choice.mode` and `about`."""
_WHY: Final[Mapping[Why, str]] = {
    Why.ALL: "screen.tool_choice.why.all",
    Why.ALL_FIT: "screen.tool_choice.why.all_fit",
    Why.TICKED: "screen.tool_choice.why.ticked",
    Why.SHARES_WORDS: "screen.tool_choice.why.shares_words",
    Why.CALLED_BEFORE: "screen.tool_choice.why.called_before",
    Why.OFF: "screen.tool_choice.why.off",
    Why.NOT_TICKED: "screen.tool_choice.why.not_ticked",
    Why.NOTHING_SHARED: "screen.tool_choice.why.nothing_shared",
    Why.MODEL_CANNOT: "screen.tool_choice.why.model_cannot",
}
_MAX_WORDS: Final = 4
_NO_PRICE: Final = frozenset({UNKNOWN, "0"})


@dataclass(frozen=True, slots=True)
class ModeItem:
    """A way of choosing. `loss` says what choosing it would lose of the cache, `note` what else it would do."""

    mode: str
    name: str
    figures: str
    description: str
    loss: str
    note: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ToolItem:
    """A tool. `figure` is its size, `price` what it costs a send, "" if nobody knows; `note` is for who unfolds it."""

    name: str
    title: str
    figure: str
    price: str
    why: str
    chosen: bool
    ticked: bool
    description: str
    note: str
    schema: str


@dataclass(frozen=True, slots=True)
class ServerItem:
    """The tools of a server. `all_ticked`, `some_ticked`: how many of them are."""

    id: str
    name: str
    figure: str
    all_ticked: bool
    some_ticked: bool
    tools: tuple[ToolItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPanelView:
    """All of it. `unable` says that the model calls none; `lost`: what `breaks` tells of is lost already."""

    unable: str
    count: str
    size: str
    overhead: str
    modes: tuple[ModeItem, ...]
    breaks: str
    lost: bool
    manual: bool
    servers: tuple[ServerItem, ...]
    missing: str


def show_tool_panel(seen: ConversationToolsView) -> ToolPanelView:
    """The tools as shown."""
    own = next(mode for mode in seen.modes if mode.mode is seen.mode)
    breaks, lost = _describe_breaks(seen, own)
    missing = ""
    if seen.missing:
        names = ", ".join(seen.missing)
        missing = translate("screen.tool_choice.missing", names=names)
    return ToolPanelView(
        unable="" if seen.able else translate("screen.tool_choice.unable", model=seen.model),
        count=translate("screen.tool_choice.count", chosen=seen.count, tools=plural(len(seen.tools), "tool")),
        size=f" · {_describe_size(seen)}",
        overhead=f", {translate('screen.tool_choice.overhead', tokens=seen.overhead)}" if seen.count else "",
        modes=tuple(_show_mode(mode, seen) for mode in sorted(seen.modes, key=lambda one: MODES.index(one.mode))),
        breaks=breaks,
        lost=lost,
        manual=seen.mode is ToolMode.MANUAL,
        servers=_show_servers(seen),
        missing=missing,
    )


def show_choice(panel: ToolPanelView, mode: ToolMode | None, ticked: Collection[str] | None) -> ToolPanelView:
    """The panel with another choice (None: the same), before it is known what that comes to."""
    if mode is not None:
        modes = tuple(replace(item, chosen=item.mode == mode.value) for item in panel.modes)
        panel = replace(panel, modes=modes, manual=mode is ToolMode.MANUAL)
    if ticked is not None:
        servers = tuple(
            replace(server, tools=tuple(replace(tool, ticked=tool.name in ticked) for tool in server.tools))
            for server in panel.servers
        )
        panel = replace(panel, servers=servers)
    return panel


def _show_mode(mode: ToolModeView, seen: ConversationToolsView) -> ModeItem:
    name = translate(f"screen.tool_choice.mode.{mode.mode.name.lower()}")
    description = translate(f"screen.tool_choice.about.{mode.mode.name.lower()}")
    figures = translate("screen.tool_choice.no_tools")
    if mode.count:
        figures = translate("screen.tool_choice.mode_size", count=mode.count, tokens=mode.tokens)
    loss = note = ""
    if mode.mode is seen.mode:
        pass
    elif mode.same:
        note = f" {translate('screen.tool_choice.no_change')}"
    elif mode.breaks is not None:
        cost = money(mode.breaks.cost)
        loss = f" {translate('screen.tool_choice.loses', tokens=mode.breaks.tokens, cost=cost)}"
    elif mode.read_tokens:
        note = f" {translate('screen.tool_choice.finds', tokens=mode.read_tokens)}"
    chosen = mode.mode is seen.mode
    return ModeItem(mode.mode.value, name, figures if seen.able else "", description, loss, note, chosen)


def _describe_breaks(seen: ConversationToolsView, own: ToolModeView) -> tuple[str, bool]:
    if own.breaks is not None:
        return translate("screen.tool_choice.lost", tokens=own.breaks.tokens, cost=money(own.breaks.cost)), True
    if seen.breaks is not None:
        cost = money(seen.breaks.cost)
        return translate("screen.tool_choice.would_lose", tokens=seen.breaks.tokens, cost=cost), False
    return "", False


def _show_servers(seen: ConversationToolsView) -> tuple[ServerItem, ...]:
    by_server = dict[tuple[str, str], list[ChosenToolView]]()
    for tool in seen.tools:
        by_server.setdefault((tool.server_id, tool.server), []).append(tool)
    return tuple(_show_server(*server, tools, frozenset(seen.ticked)) for server, tools in by_server.items())


def _show_server(server_id: str, name: str, tools: list[ChosenToolView], ticked: frozenset[str]) -> ServerItem:
    on = sum(tool.name in ticked for tool in tools)
    figure = translate("screen.tool_choice.tokens", tokens=sum(tool.tokens for tool in tools))
    shown = tuple(_show_tool(tool, ticked) for tool in tools)
    return ServerItem(server_id or name, name, figure, on == len(tools), 0 < on < len(tools), shown)


def _show_tool(tool: ChosenToolView, ticked: frozenset[str]) -> ToolItem:
    words = ", ".join(tool.words[:_MAX_WORDS])
    harmless = f". {translate('screen.tool_choice.read_only')}" if tool.read_only else "."
    price = "" if tool.cost in _NO_PRICE else translate("screen.tool_choice.a_send", cost=money(tool.cost))
    at_full = f" {translate('screen.tool_choice.full_price', price=price)}" if price else ""
    return ToolItem(
        name=tool.name,
        title=tool.title or tool.tool,
        figure=f"~{number(tool.tokens)}",
        price=price,
        why=translate(_WHY[tool.why]) + (f": {words}" if words else ""),
        chosen=tool.chosen,
        ticked=tool.name in ticked,
        description=tool.description,
        note=f"{harmless}{at_full}",
        schema=tool.input_schema_json,
    )


def _describe_size(seen: ConversationToolsView) -> str:
    if seen.cost in _NO_PRICE:
        return translate("screen.tool_choice.size", tokens=seen.tokens)
    return translate("screen.tool_choice.size_priced", tokens=seen.tokens, cost=money(seen.cost))
