"""Figures and verdicts: the measured figures, their targets, and the table that shows both.

All targets are defined here. A target is a number, or a multiple of another column (`of`) of the same run: raw and sdk
are the floors, `base` is another figure of the app itself.

    report = Report()
    report.add("a.cpu", "app", 0.55)
    print(report.table())
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Literal


@dataclass(frozen=True)
class Figure:
    what: str
    unit: str
    limit: float | None = None  # None: for information, without a verdict
    of: Literal["", "raw", "sdk", "base"] = ""
    base: str = ""  # the key of the app's figure that `limit` multiplies


FIGURES: dict[str, Figure] = {
    "a.last": Figure("2,000 tokens at 100/s: last chunk's lag", "ms", 20),
    "a.p95": Figure("… lag of a chunk, p95", "ms"),
    "a.cpu": Figure("… server CPU", "s", 0.7, "sdk"),
    "a.main": Figure("… main thread, CPU", "s", 1.15, "raw"),
    "a.task": Figure("… main thread, task time", "s"),
    "a.wire": Figure("… bytes on the wire per byte of reply", "", 1.6),
    "i.first": Figure("first chunk to DOM, of a provider that thinks for 0.3 s", "ms", 4),
    "i.instant": Figure("… of one that begins at once, while its pair is being drawn", "ms", 10),
    "b.last": Figure("16,000 tokens at full speed: last chunk's lag", "ms", 0.3, "sdk"),
    "b.first": Figure("… first chunk to DOM", "ms", 4),
    "b.cold": Figure("… first chunk to DOM, first reply of a page", "ms", 4),
    "b.main": Figure("… main thread, CPU", "s"),
    "c.open": Figure("1,000 stored pairs: open, drawn", "ms", 350),
    "c.bytes": Figure("… bytes in all, empty cache", "KB", 260),
    "c.open10": Figure("10,000 stored pairs: open, drawn", "ms", 1.2, "base", "c.open"),
    "c.bytes10": Figure("… bytes in all, empty cache", "KB"),
    "c.reach": Figure("next send from 1,000 pairs reaches the provider", "ms", 45),
    "c.first": Figure("… the first send of that conversation since the start", "ms", 45),
    "c.lag": Figure("… last chunk's lag", "ms", 50),
    "c.wire": Figure("… bytes on the wire per byte of reply", "", 1.6),
    "d.p95": Figure("50 clients at 50 tokens/s: lag, p95", "ms", 2.5),
    "d.cpu": Figure("… server CPU", "s", 1.1, "sdk"),
    "h.one": Figure("8 browsers (profiles of one Chromium) at 50 tokens/s: lag, p95", "ms", 40),
    "h.eight": Figure("… 8 Chromiums on this machine", "ms"),
    "e.typing": Figure("first visit to typing", "ms", 330),
    "e.bytes": Figure("first visit, bytes", "KB", 500),
    "f.pss": Figure("idle memory (PSS) after start", "MB", 140),
    "f.page": Figure("… with one page open", "MB"),
    "f.reply": Figure("… after a reply", "MB"),
    "f.open": Figure("… for each open page of 120 pairs of 1 KB", "MB", 1.5),
    "l.star": Figure("a star of a pair, among 1,000: click to DOM", "ms", 10),
    "l.dialog": Figure("… a dialog", "ms", 10),
    "l.filter": Figure("… a filter: Enter to DOM", "ms", 25),
    "g.restart": Figure("restart to the first page", "s", 2),
    "g.fresh": Figure("first start from a clone, empty caches", "s", 90),
}
COLUMNS = ("app", "raw", "sdk")


class Report:
    """All samples of a run; a figure is the median of its samples."""

    def __init__(self) -> None:
        self.samples: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.foreign: list[float] = []

    def add(self, key: str, target: str, value: float) -> None:
        if key not in FIGURES:
            raise KeyError(f"No figure is called {key!r}. Name it in FIGURES first.")
        self.samples[key, target].append(value)

    def value(self, key: str, target: str) -> float | None:
        samples = self.samples.get((key, target))
        return median(samples) if samples else None

    def limit(self, key: str) -> float | None:
        """Return the target in the figure's unit, computed from this run's floors; None if it has none (yet)."""
        figure = FIGURES[key]
        if figure.limit is None or not figure.of:
            return figure.limit
        reference = self.value(figure.base, "app") if figure.of == "base" else self.value(key, figure.of)
        return None if reference is None else figure.limit * reference

    def met(self, key: str) -> bool | None:
        value, limit = self.value(key, "app"), self.limit(key)
        return None if value is None or limit is None else value <= limit

    def table(self) -> str:
        rows = ["| | Inview | floor | floor through SDK | target | met |", "|---|---|---|---|---|---|"]
        for key, figure in FIGURES.items():
            if any((key, column) in self.samples for column in COLUMNS):
                cells = [_shown(self.value(key, column)) for column in COLUMNS]
                unit = f", {figure.unit}" if figure.unit else ""
                verdict = {True: "yes", False: "**no**", None: ""}[self.met(key)]
                rows.append(f"| {figure.what}{unit} | {' | '.join(cells)} | {self._target(key)} | {verdict} |")
        return "\n".join(rows)

    def _target(self, key: str) -> str:
        figure = FIGURES[key]
        if figure.limit is None:
            return ""
        times = {"": "", "raw": " of floor", "sdk": " of SDK floor", "base": " of 1,000 pairs"}[figure.of]
        worked_out = f" = {_shown(self.limit(key))}" if figure.of else ""
        return f"≤ {figure.limit:g}{times}{worked_out}"


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
