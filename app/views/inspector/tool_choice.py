"""The panel of tools in the inspector: the modes that choose the tools of a send, and each tool with its price."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.domain.conversation.conversation import ToolMode
from app.domain.tools.inclusion import Why
from app.views.tools.tools import ChosenToolView, ConversationToolsView, ToolModeView
from app.views.usage.figures import UNKNOWN, extra, money, number, plural

MODES: Final[Mapping[ToolMode, tuple[str, str]]] = {
    ToolMode.CACHED: ("All, cached", "Every tool, in a fixed order, cached separately from the rest."),
    ToolMode.AUTO: (
        "Automatic",
        "All tools while they are small; otherwise those that match the draft or were called in the pairs in view.",
    ),
    ToolMode.ALL_ON: ("All", "Every tool, each time, cached with the rest of the request."),
    ToolMode.MANUAL: ("Manual", "The tools that are ticked below."),
    ToolMode.ALL_OFF: ("None", "No tools are sent to the model."),
}
WHY: Final[Mapping[Why, str]] = {
    Why.ALL: "sent",
    Why.ALL_FIT: "sent: all tools together are small enough",
    Why.TICKED: "ticked",
    Why.SHARES_WORDS: "matches the draft",
    Why.CALLED_BEFORE: "called in the pairs in view",
    Why.OFF: "off",
    Why.NOT_TICKED: "not ticked",
    Why.NOTHING_SHARED: "does not match the draft",
    Why.MODEL_CANNOT: "the model cannot call tools",
}
"""The reasons why a send includes a tool or not."""
_MAX_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class ModeItem:
    """An inclusion mode. `figures` describe the tools that it sends. `chosen`: it is the current mode.

    `loss` describes the part of the provider's cache that this choice would lose, `note` another effect; "" for none.
    """

    mode: str
    name: str
    figures: str
    description: str
    loss: str
    note: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ToolItem:
    """A tool. `figure` is its size in tokens, `price` its cost per send ("" if unknown or free).

    - `chosen`: the next send includes it.
    - `why`: the reason why it is or is not included.
    - `ticked`: it is ticked for the mode Manual.
    - `note` is shown when the tool is expanded.
    """

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
class ServerToolsItem:
    """The tools of an MCP server. `all_ticked`: all of them are ticked. `some_ticked`: some are ticked, but not all."""

    id: str
    name: str
    figure: str
    all_ticked: bool
    some_ticked: bool
    tools: tuple[ToolItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPanelView:
    """The panel of tools.

    - `unable`: says that the model cannot call tools, "" if it can.
    - `breaks`: describes an effect on the provider's cache.
    - `lost`: if True, `breaks` is about cached tokens that the next send cannot read because of the current choice of
      tools; otherwise, about cached tokens that it can read only with the current choice.
    - `manual`: the mode Manual is chosen, so each tool has a checkbox.
    - `missing`: names ticked tools that are not available.
    """

    unable: str
    count: str
    size: str
    overhead: str
    modes: tuple[ModeItem, ...]
    breaks: str
    lost: bool
    manual: bool
    servers: tuple[ServerToolsItem, ...]
    missing: str


def show_tool_panel(seen: ConversationToolsView) -> ToolPanelView:
    """Return the panel of the tools of a conversation."""
    own = next(mode for mode in seen.modes if mode.mode is seen.mode)
    breaks, lost = _describe_breaks(seen, own)
    missing = ""
    if seen.missing:
        names = ", ".join(seen.missing)
        missing = f"Ticked, but not available: {names}. They are sent again when their server is back."
    return ToolPanelView(
        unable="" if seen.able else f"{seen.model} cannot call tools, so no tools are sent to it.",
        count=f"{seen.count} of {plural(len(seen.tools), 'tool')}",
        size=f" · ~{number(seen.tokens)} tokens{_priced(seen.cost)} a send",
        overhead=f", {number(seen.overhead)} of them for using tools at all" if seen.count else "",
        modes=tuple(_show_mode(mode, seen) for mode in sorted(seen.modes, key=lambda one: [*MODES].index(one.mode))),
        breaks=breaks,
        lost=lost,
        manual=seen.mode is ToolMode.MANUAL,
        servers=_show_servers(seen),
        missing=missing,
    )


def show_choice(panel: ToolPanelView, mode: ToolMode | None, ticked: Collection[str] | None) -> ToolPanelView:
    """Return the panel of tools with another mode or other ticked tools, before their effect is known.

    If `ticked` is None, the ticked tools are unchanged.
    """
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
    name, description = MODES[mode.mode]
    figures = f"{mode.count} · ~{number(mode.tokens)} tokens" if mode.count else "none"
    loss = note = ""
    if mode.mode is seen.mode:
        pass
    elif mode.same:
        note = " Choosing it would not change the next send."
    elif mode.breaks is not None:
        loss = f" Reads {number(mode.breaks.tokens)} cached tokens again, {extra(mode.breaks.cost)}."
    elif mode.read_tokens:
        note = f" Reads {number(mode.read_tokens)} tokens from the cache."
    chosen = mode.mode is seen.mode
    return ModeItem(mode.mode.value, name, figures if seen.able else "", description, loss, note, chosen)


def _describe_breaks(seen: ConversationToolsView, own: ToolModeView) -> tuple[str, bool]:
    if own.breaks is not None:
        anew = f"{number(own.breaks.tokens)} tokens again, {extra(own.breaks.cost)}"
        return f"These tools differ from the cached ones: the next send reads {anew}.", True
    if seen.breaks is not None:
        kept = f"The provider has cached {number(seen.breaks.tokens)} tokens of this conversation with these tools."
        return f"{kept} Any other choice of tools reads them again, {extra(seen.breaks.cost)}.", False
    return "", False


def _show_servers(seen: ConversationToolsView) -> tuple[ServerToolsItem, ...]:
    by_server = dict[tuple[str, str], list[ChosenToolView]]()
    for tool in seen.tools:
        by_server.setdefault((tool.server_id, tool.server), []).append(tool)
    return tuple(_show_server(*server, tools, frozenset(seen.ticked)) for server, tools in by_server.items())


def _show_server(server_id: str, name: str, tools: list[ChosenToolView], ticked: frozenset[str]) -> ServerToolsItem:
    on = sum(tool.name in ticked for tool in tools)
    figure = f"~{number(sum(tool.tokens for tool in tools))} tokens"
    shown = tuple(_show_tool(tool, ticked) for tool in tools)
    return ServerToolsItem(server_id or name, name, figure, on == len(tools), 0 < on < len(tools), shown)


def _show_tool(tool: ChosenToolView, ticked: frozenset[str]) -> ToolItem:
    words = ", ".join(tool.words[:_MAX_WORDS])
    harmless = ". Read-only, according to its server." if tool.read_only else "."
    price = "" if tool.cost in {UNKNOWN, "0"} else f"{money(tool.cost)} a send"
    return ToolItem(
        name=tool.name,
        title=tool.title or tool.tool,
        figure=f"~{number(tool.tokens)}",
        price=price,
        why=WHY[tool.why] + (f": {words}" if words else ""),
        chosen=tool.chosen,
        ticked=tool.name in ticked,
        description=tool.description,
        note=f"{harmless}{f' {price} at the full price.' if price else ''}",
        schema=tool.input_schema_json,
    )


def _priced(cost: str) -> str:
    return "" if cost in {UNKNOWN, "0"} else f" · {money(cost)}"
