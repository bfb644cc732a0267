"""Commands of the filter bar, which act on the pairs that the filter selects: their values and their help texts.

`command_parser.py` reads commands, `bar/command_rules.py` decides whether they may run. Other packages perform them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from app.domain.conversation.conversation import Mark
from app.domain.filters.language.syntax import Filter


class ExportFormat(StrEnum):
    """The format of an export. JSON is Inview's own lossless format."""

    JSON = "json"
    MARKDOWN = "md"
    HTML = "html"


class ExportOrder(StrEnum):
    """The order of pairs in an export."""

    TIME = "time"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class Export:
    """The command that writes the pairs to a file. If `filename` is None, the file is named after the conversation."""

    format: ExportFormat = ExportFormat.JSON
    filename: str | None = None
    order: ExportOrder = ExportOrder.TIME


@dataclass(frozen=True, slots=True)
class FileUnder:
    """The command that files the pairs under the topic at this path. None: under the topic chosen in the composer."""

    path: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """The command that sets the stars of the pairs, 0 to 3."""

    stars: int


@dataclass(frozen=True, slots=True)
class SetFlag:
    """The command that flags the pairs, or removes their flag."""

    flagged: bool


@dataclass(frozen=True, slots=True)
class SetMark:
    """The command that gives the pairs the tag “include” or “exclude”."""

    mark: Mark


@dataclass(frozen=True, slots=True)
class Delete:
    """The command that deletes the pairs. If they are many, `force` is required."""

    force: bool = False


@dataclass(frozen=True, slots=True)
class Fork:
    """The command that starts a new conversation from the pairs."""


Command = Export | FileUnder | Rate | SetFlag | SetMark | Delete | Fork


@dataclass(frozen=True, slots=True)
class CommandCall:
    """A call of a command. With `dry_run` its effect is only described, and nothing is changed."""

    command: Command
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class BarLine:
    """The content of the filter bar: a filter and a command, both optional."""

    filter: Filter
    call: CommandCall | None = None


# --- the words ---


@dataclass(frozen=True, slots=True)
class FlagRow:
    """A flag of a command and its help text.

    `value` describes the value of the flag, as in `--name=value` or `--name value`; "": it has no value.
    """

    name: str
    does: str
    value: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A command and its help text. An `argument` in brackets is optional. `example` is a whole line."""

    name: str
    does: str
    example: str
    argument: str = ""
    choices: tuple[str, ...] = ()
    flags: tuple[FlagRow, ...] = ()


DRY_RUN = FlagRow("dry-run", "shows what would happen, and changes nothing")

_ROWS = (
    CommandRow(
        "export",
        "writes the selection to a file",
        "s>=2 :export md --filename 'best of' --order topic",
        argument="[json|md|html]",
        choices=tuple(format_.value for format_ in ExportFormat),
        flags=(
            FlagRow("filename", "sets the file name", value="name"),
            FlagRow("order", "sets the order", value="time|topic", choices=tuple(order.value for order in ExportOrder)),
        ),
    ),
    CommandRow(
        "topic",
        "files the selection under a topic; without a topic, under the chosen one",
        "c'budget' :topic 'Work > Money'",
        argument="['path']",
    ),
    CommandRow("star", "gives stars", "r1 :star 3", argument="N", choices=("0", "1", "2", "3")),
    CommandRow("flag", "sets the flag", "e :flag"),
    CommandRow("unflag", "removes the flag", "b :unflag"),
    CommandRow("in", "tags the pairs “include”", "t'AI...' :in"),
    CommandRow("out", "tags the pairs “exclude”", "e :out"),
    CommandRow(
        "delete",
        (
            "deletes the selection after a confirmation; not allowed with r, o, t or tN, whose selection changes "
            "when pairs are deleted"
        ),
        "e d>1mo :delete --dry-run",
        flags=(FlagRow("force", "is required for more than 50 pairs"),),
    ),
    CommandRow("fork", "starts a new conversation from the selection", "o :fork"),
)

COMMANDS: Mapping[str, CommandRow] = MappingProxyType({row.name: row for row in _ROWS})
