"""The log of a conversation on the page: requests for titles and summaries, and usage at the removal of messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from app.domain.child_calls.child_calls import ChildCall
from app.domain.conversation.accounting import Accounting
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.costs.prices import Tariff
from app.views.conversation.node import AccountingNodeView, DerivedNodeView, MadeView, NodeView, describe_nodes
from app.views.conversation.pair import UsageView
from app.views.usage.figures import charged, number

MOST: Final = 200
"""Maximum number of entries that the page shows."""


@dataclass(frozen=True, slots=True)
class LogEntryView:
    """An entry of the log: a node, which is never sent. It was made after the pair at `after_position` (0: none).

    - `name`: the title of the entry, for example that messages were removed.
    - `about`: describes the model, tokens, cost and outcome.
    - `failed`: the request ended with an error.
    - `running`: the request has not ended.
    - `made_in`: the child conversation of the request, "" for none.
    - `text`: the title or the summary.
    - `usable`: `text` is a complete summary of the pairs with positions lower than `position`.
    - `at`: the time of the entry (ISO 8601).
    """

    id: str
    kind: Literal["accounting", "title", "summary"]
    after_position: int
    name: str
    about: str
    at: str
    failed: bool = False
    running: bool = False
    made_in: str = ""
    text: str = ""
    usable: bool = False
    position: int = 0


@dataclass(frozen=True, slots=True)
class LogView:
    """The newest entries of the log, newest first. `earlier` is the number of entries that are left out."""

    entries: tuple[LogEntryView, ...] = ()
    earlier: int = 0


def show_log(
    accounting: Iterable[Accounting],
    derived: Iterable[ChildCall],
    tariffs: Mapping[str, Tariff | None],
    names: Mapping[str, str],
) -> LogView:
    """Return the log of a conversation from its nodes: accounting nodes and those of child calls (`derived`).

    `tariffs` and `names` have the tariff and the display name of each model.
    """
    nodes = describe_nodes(accounting, derived, tariffs)
    newest = sorted(nodes, key=lambda node: (node.created_at, node.after_position, node.id), reverse=True)
    return LogView(tuple(_show(node, names) for node in newest[:MOST]), max(0, len(newest) - MOST))


def _show(node: NodeView, names: Mapping[str, str]) -> LogEntryView:
    return _show_accounting(node) if isinstance(node, AccountingNodeView) else _show_derived(node, names)


def _show_accounting(node: AccountingNodeView) -> LogEntryView:
    at = node.created_at.isoformat()
    return LogEntryView(node.id, "accounting", node.after_position, node.words, _spent(node), at)


def _show_derived(node: DerivedNodeView, names: Mapping[str, str]) -> LogEntryView:
    made, is_title = node.made, node.role == "system-title"
    text = "" if made is None else made.text.strip()
    position = node.position or 0
    return LogEntryView(
        id=node.id,
        kind="title" if is_title else "summary",
        after_position=node.after_position,
        name="Title requested" if is_title else f"Summary requested of the pairs before {position}",
        about="The conversation of this request was deleted." if made is None else _about(made, names),
        at=node.created_at.isoformat(),
        failed=made is not None and made.error is not None,
        running=made is not None and made.lifecycle in RUNNING,
        made_in="" if made is None else made.conversation_id,
        text=text,
        usable=made is not None and made.lifecycle is Lifecycle.SUCCEEDED and text != "" and not is_title,
        position=position,
    )


def _spent(node: AccountingNodeView) -> str:
    if node.reason is None:
        return ""
    usage = node.usage
    cached = f", {number(usage.cache_read_tokens)} of it from cache" if usage.cache_read_tokens else ""
    return f"So far {number(_read(usage))} in{cached} · {number(usage.output_tokens)} out"


def _about(made: MadeView, names: Mapping[str, str]) -> str:
    spent = ""
    if made.usage is not None:
        cost = charged(made.cost, at_least=made.cost_at_least)
        spent = f"{number(_read(made.usage))} in · {number(made.usage.output_tokens)} out · {cost}"
    return " · ".join(filter(None, (names[made.model], spent, _outcome(made))))


def _outcome(made: MadeView) -> str:
    match made.lifecycle:
        case Lifecycle.SUCCEEDED:
            return "" if made.text.strip() else "the reply is empty; nothing was changed"
        case Lifecycle.CANCELED:
            return "stopped; nothing was changed"
        case Lifecycle.ERROR:
            return f"failed: {made.error['message'] if made.error else ''} Nothing was changed."
        case _:
            return "running…"


def _read(usage: UsageView) -> int:
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
