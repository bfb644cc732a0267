"""The chart of the report: one bar per day or month, stacked by kind of tokens, as numbers for a drawing in SVG.

The drawing is 100 units wide and `HEIGHT` units high, whatever its size on screen. The table below it has every figure.

>>> day = ("2026-05-01", Spent(calls=1, usage=Usage(input_tokens=30, output_tokens=10)))
>>> [(one.kind, one.y, one.height) for one in build_chart("tokens", "day", [day]).bars[0].segments]
[('0', 121.0, 39.0), ('1', 4.0, 117.0)]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from app.domain.costs.spending import Spent
from app.domain.usage import Usage
from app.state.usage.labels import CACHE_READ, CACHE_WRITE, INPUT, OUTPUT
from app.views.usage.figures import money, number, plural, short

Measure = Literal["cost", "tokens"]
Unit = Literal["day", "month"]

HEIGHT: Final = 160
_ROOM_ABOVE: Final = 4
_BAR: Final = 0.76
"""Width of a bar as a share of the width that a day or month has."""


@dataclass(frozen=True)
class SegmentView:
    """A part of a bar in the chart. `kind` is the key of its legend line. `y` is the position of its upper edge."""

    kind: str
    y: float
    height: float


@dataclass(frozen=True)
class BarView:
    """The bar of a day or month, in a column of the chart's full height, which shows `title` under the pointer.

    - `left`, `width`: the position and width of the column.
    - `bar_left`, `bar_width`: the position and width of the bar.
    """

    title: str
    left: float
    width: float
    bar_left: float
    bar_width: float
    segments: tuple[SegmentView, ...]


@dataclass(frozen=True)
class KindView:
    """A line of the chart's legend: a kind of tokens."""

    kind: str
    label: str


@dataclass(frozen=True)
class ChartView:
    """A chart. `description` is its text for screen readers.

    `most` is the value of the highest bar as text. `first` and `last` are the names of the first and the last bar.
    """

    caption: str
    description: str
    most: str
    first: str
    last: str
    bars: tuple[BarView, ...]
    kinds: tuple[KindView, ...]


@dataclass(frozen=True)
class _Kind:
    kind: str
    label: str
    value_of: Callable[[Spent], float]


@dataclass(frozen=True)
class _Scale:
    """The label and the number formats of a measure: `say` is the full format, `say_short` the format for the axis.

    `is_partly_known`: calls were cut off or have no price, so their sum may be higher.
    """

    label: str
    kinds: tuple[_Kind, ...]
    say: Callable[[float], str]
    say_short: Callable[[float], str]
    is_partly_known: Callable[[Spent], bool]


def build_chart(measure: Measure, unit: Unit, groups: Sequence[tuple[str, Spent]]) -> ChartView:
    """Return the chart with a bar for each of these days or months, in this order."""
    scale = _SCALES[measure]
    sums = [sum(kind.value_of(spent) for kind in scale.kinds) for _, spent in groups]
    most = max(sums, default=0.0)
    place = 100 / max(len(groups), 1)
    bars = tuple(
        BarView(
            title=f"{name}: {_describe_bar(scale, total, spent)}",
            left=round(nth * place, 3),
            width=round(place, 3),
            bar_left=round(nth * place + place * (1 - _BAR) / 2, 3),
            bar_width=round(place * _BAR, 3),
            segments=_stack(scale.kinds, spent, most),
        )
        for nth, ((name, spent), total) in enumerate(zip(groups, sums, strict=True))
    )
    return ChartView(
        caption=f"{scale.label} by {unit}, UTC",
        description=f"{scale.label} by {unit}: {scale.say(sum(sums))} in total, {scale.say(most)} at most. "
        "The table has every figure.",
        most=scale.say_short(most),
        first=groups[0][0] if groups else "",
        last=groups[-1][0] if groups else "",
        bars=bars,
        kinds=tuple(KindView(kind.kind, kind.label) for kind in scale.kinds),
    )


def _describe_bar(scale: _Scale, total: float, spent: Spent) -> str:
    if not spent.calls:
        return "nothing"
    least = "at least " if total and scale.is_partly_known(spent) else ""
    return f"{least}{scale.say(total)}, {plural(spent.calls, 'request')}"


def _stack(kinds: Sequence[_Kind], spent: Spent, most: float) -> tuple[SegmentView, ...]:
    segments: list[SegmentView] = []
    top = float(HEIGHT)
    for kind in kinds:
        height = kind.value_of(spent) / most * (HEIGHT - _ROOM_ABOVE) if most else 0.0
        top -= height
        if height > 0:
            segments.append(SegmentView(kind.kind, round(top, 2), round(height, 2)))
    return tuple(segments)


def _say_dollars(dollars: float) -> str:
    return money(f"{dollars:.10f}")


def _say_tokens(tokens: float) -> str:
    return number(int(tokens))


def _say_tokens_short(tokens: float) -> str:
    return short(int(tokens))


def _tokens(count: Callable[[Usage], int]) -> Callable[[Spent], float]:
    return lambda spent: count(spent.usage)


_SCALES: Final[Mapping[Measure, _Scale]] = MappingProxyType(
    {
        "cost": _Scale(
            "Cost",
            (_Kind("cost", "Cost", lambda spent: float(spent.cost.amount)),),
            _say_dollars,
            _say_dollars,
            lambda spent: spent.cost.at_least,
        ),
        "tokens": _Scale(
            "Tokens",
            (
                _Kind("0", OUTPUT, _tokens(lambda usage: usage.output_tokens)),
                _Kind("1", INPUT, _tokens(lambda usage: usage.input_tokens)),
                _Kind("2", CACHE_WRITE, _tokens(lambda usage: usage.cache_write_tokens + usage.cache_write_1h_tokens)),
                _Kind("3", CACHE_READ, _tokens(lambda usage: usage.cache_read_tokens)),
            ),
            _say_tokens,
            _say_tokens_short,
            lambda spent: bool(spent.cut),
        ),
    }
)
