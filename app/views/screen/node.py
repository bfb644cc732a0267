"""What stands between pairs and is never sent, on the page: requests for titles and summaries, and what was spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.accounting import Accounting
from app.domain.costs.prices import Tariff
from app.domain.derived.derived import DerivedCall
from app.views.conversation.node import AccountingNodeView, DerivedNodeView, MadeView, NodeView, describe_nodes
from app.views.conversation.pair import UsageView
from app.views.usage.figures import charged, number, plural


@dataclass(frozen=True, slots=True)
class SpentLine:
    """Why messages left the history, and what had been spent by then. `at` is ISO 8601."""

    id: str
    reason: str
    spent: str
    at: str


@dataclass(frozen=True, slots=True)
class ScreenNodeView:
    """A node after the pair at `after_position`, or several of accounting at one place (`lines`, newest last).

    `name` says what it is where it is folded away.
    `about` says who was asked, what it used and how it went; `failed`: it ended in an error. `made_in` is the
    conversation of the request, "" once it is gone. `text` is the title or the summary; `usable`: it is a whole summary
    of the pairs before `position`.
    """

    id: str
    kind: Literal["accounting", "title", "summary"]
    after_position: int
    lines: tuple[SpentLine, ...] = ()
    about: str = ""
    failed: bool = False
    made_in: str = ""
    text: str = ""
    usable: bool = False
    position: int = 0
    name: str = ""


def show_nodes(
    accounting: Iterable[Accounting], derived: Iterable[DerivedCall], tariffs: Mapping[str, Tariff | None]
) -> tuple[ScreenNodeView, ...]:
    """The nodes of a conversation in the order they stand. `tariffs` by model."""
    nodes = describe_nodes(accounting, derived, tariffs)
    found: list[ScreenNodeView] = []
    for (is_accounting, after), group in groupby(nodes, lambda node: (_is_accounting(node), node.after_position)):
        if is_accounting:
            lines = [node for node in group if isinstance(node, AccountingNodeView)]
            found.append(_show_accounting(after, lines))
        else:
            found += [_show_derived(node) for node in group if isinstance(node, DerivedNodeView)]
    return tuple(found)


def _is_accounting(node: NodeView) -> bool:
    return isinstance(node, AccountingNodeView)


def _show_accounting(after: int, nodes: Sequence[AccountingNodeView]) -> ScreenNodeView:
    lines = [SpentLine(node.id, node.words, _spent(node), node.created_at.isoformat()) for node in nodes]
    name = plural(len(lines), "accounting entry", "accounting entries")
    return ScreenNodeView(lines[0].id, "accounting", after, tuple(lines), name=name)


def _show_derived(node: DerivedNodeView) -> ScreenNodeView:
    made = node.made
    text = "" if made is None else made.text.strip()
    failed = made is not None and made.error is not None
    name = "title request" if node.role == "system-title" else "summary request"
    return ScreenNodeView(
        id=node.id,
        kind="title" if node.role == "system-title" else "summary",
        after_position=node.after_position,
        about="The conversation it was made in is gone." if made is None else _about(made),
        failed=failed,
        made_in="" if made is None else made.conversation_id,
        text=text,
        usable=made is not None and made.lifecycle is Lifecycle.SUCCEEDED and text != "",
        position=node.position or 0,
        name=f"{name}, failed" if failed else name,
    )


def _spent(node: AccountingNodeView) -> str:
    if node.reason is None:
        return ""
    usage = node.usage
    cached = f", {number(usage.cache_read_tokens)} of it from cache" if usage.cache_read_tokens else ""
    return f"So far {number(_read(usage))} in{cached} · {number(usage.output_tokens)} out"


def _about(made: MadeView) -> str:
    spent = ""
    if made.usage is not None:
        cost = charged(made.cost, at_least=made.cost_at_least)
        spent = f"{number(_read(made.usage))} in · {number(made.usage.output_tokens)} out · {cost}"
    return " · ".join(filter(None, (made.model, spent, _outcome(made))))


def _outcome(made: MadeView) -> str:
    match made.lifecycle:
        case Lifecycle.SUCCEEDED:
            return "" if made.text.strip() else "it said nothing; nothing was changed"
        case Lifecycle.CANCELED:
            return "stopped; nothing was changed"
        case Lifecycle.ERROR:
            return f"failed: {made.error['message'] if made.error else ''} Nothing was changed."
        case _:
            return "asking…"


def _read(usage: UsageView) -> int:
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
