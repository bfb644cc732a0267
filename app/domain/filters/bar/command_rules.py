"""Rules for commands: decide whether a command may run on the selected pairs, and which text or question to show.

Nothing is changed here.

>>> from app.domain.filters.language.parser import parse_line
>>> line = parse_line("s1 :delete --dry-run")
>>> decide_call(line.call, line.filter, selected=12)
ShowText(what='Would delete 12 pairs. Nothing was changed.')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from app.domain.filters.language.commands import (
    Command,
    CommandCall,
    Delete,
    Export,
    ExportOrder,
    FileUnder,
    Fork,
    Rate,
    SetFlag,
    SetMark,
)
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.syntax import ChosenTopic, Filter, InContext, Leaf, Recent, RecentOfTopic, leaves
from app.domain.topics.topics import PATH_SEPARATOR

MANY = 50
"""Maximum number of pairs that can be deleted without `--force`."""

SHIFTING = (Recent, InContext, ChosenTopic, RecentOfTopic)
"""Terms whose meaning depends on the other pairs, or on a choice in the composer.

A deletion with such a filter is refused, because after the deletion the same filter would select other pairs.
"""


@dataclass(frozen=True, slots=True)
class PerformCommand:
    """The decision that a command of the filter bar is performed."""


@dataclass(frozen=True, slots=True)
class ConfirmCommand:
    """The decision that a command of the filter bar is performed if the person confirms this question."""

    question: str


@dataclass(frozen=True, slots=True)
class ShowText:
    """The decision that this text is shown, and that the command of the filter bar is not performed."""

    what: str


@dataclass(frozen=True, slots=True)
class RefuseCommand:
    """The decision that a command of the filter bar is refused, for this reason."""

    reason: str


Decision = PerformCommand | ConfirmCommand | ShowText | RefuseCommand


def decide_call(call: CommandCall, tree: Filter, selected: int) -> Decision:
    """Decide whether a command may run on the pairs that a filter selects, and return the text or question to show.

    `tree` is this filter, with each saved filter replaced by its content. `selected` is the number of the pairs.
    """
    what = describe_command(call.command, selected)
    if selected == 0:
        return RefuseCommand("The filter selects no pairs.")
    if isinstance(call.command, Delete):
        shifting = [leaf for leaf in leaves(tree) if isinstance(leaf, SHIFTING)]
        if shifting:
            return RefuseCommand(_why_not_by(shifting))
        if selected > MANY and not call.command.force:
            return RefuseCommand(f"To {what}, more than {MANY}, add --force.")
    if call.dry_run:
        return ShowText(f"Would {what}. Nothing was changed.")
    return ConfirmCommand(f"Really {what}?") if isinstance(call.command, Delete) else PerformCommand()


def describe_command(command: Command, count: int) -> str:
    """Describe the effect of a command on `count` pairs: "file 12 pairs under AI > Planning"."""
    pairs = f"{count:,} pair{'' if count == 1 else 's'}"
    match command:
        case Export(format_, filename, order):
            name = f' to "{filename}"' if filename else ""
            return f"export {pairs} as {format_}{name}{', by topic' if order is ExportOrder.TOPIC else ''}"
        case FileUnder(path):
            return f"file {pairs} under {PATH_SEPARATOR.join(path) if path else 'the chosen topic'}"
        case Rate(stars):
            return f"give {pairs} {stars} star{'' if stars == 1 else 's'}"
        case SetFlag(flagged):
            return f"{'flag' if flagged else 'unflag'} {pairs}"
        case SetMark(mark):
            return f"tag {pairs} “{mark.tag}”"
        case Delete():
            return f"delete {pairs}"
        case Fork():
            return f"start a new conversation from {pairs}"
        case _:
            assert_never(command)


def _why_not_by(shifting: Sequence[Leaf]) -> str:
    terms = ", ".join(dict.fromkeys(format_filter(leaf) for leaf in shifting))
    return (
        f"Cannot delete by {terms}: its selection changes when pairs are deleted. Filter by something fixed, such "
        "as stars, a date or the name of a topic."
    )
