"""The chips of the filter bar as the page shows them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.filters.bar.chips import ChipName, Option
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.syntax import Expression

_LABELS: Final[Mapping[ChipName, str]] = MappingProxyType(
    {
        ChipName.STARS: "Starred",
        ChipName.TOPIC: "Topic",
        ChipName.DATE: "Date",
        ChipName.MODEL: "Model",
        ChipName.KIND: "Kind",
    }
)


@dataclass(frozen=True, slots=True)
class ChipOption:
    """A value of a chip. Choosing it writes the text `term` into the line of the filter bar."""

    term: str
    label: str


@dataclass(frozen=True, slots=True)
class ChipView:
    """A chip of the filter bar: a control for one kind of term.

    `chosen` is the term in the filter that the chip shows; "": none. `single`: the chip has only one possible value, so
    it is a switch instead of a menu.
    """

    name: str
    label: str
    options: tuple[ChipOption, ...]
    chosen: str
    single: bool


def show_chips(options: Mapping[ChipName, tuple[Option, ...]], terms: Collection[Expression]) -> tuple[ChipView, ...]:
    """Return the chips of the filter bar, each with its values and the chosen one.

    `terms` are the terms of the filter in the bar. The chosen value of a chip is the first whose term is in `terms`.
    """
    return tuple(_show(name, values, terms) for name, values in options.items())


def _show(name: ChipName, values: tuple[Option, ...], terms: Collection[Expression]) -> ChipView:
    shown = tuple(ChipOption(format_filter(one.term), one.label) for one in values)
    chosen = next((one.term for one in values if one.term in terms), None)
    return ChipView(
        name.value, _LABELS[name], shown, "" if chosen is None else format_filter(chosen), name is ChipName.STARS
    )
