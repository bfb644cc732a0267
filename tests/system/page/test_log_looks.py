"""The stylesheet of the entries of the log and of the checkpoint: the looks that the specification gives them."""

from __future__ import annotations

import re
from colorsys import rgb_to_hls
from pathlib import Path
from typing import Final

import pytest

STYLES: Final = (Path(__file__).parents[3] / "assets" / "inview.css").read_text(encoding="utf-8")


def declarations(selector: str) -> str:
    """Return all declarations of the rules with exactly this selector."""
    return " ".join(re.findall(rf"^{re.escape(selector)} \{{([^}}]*)\}}", STYLES, re.MULTILINE))


def hues(name: str) -> list[float]:
    """Return the hue in degrees of each value of a colour: in the light and in the dark theme."""
    values = re.findall(rf"--{name}: #(\w{{6}});", STYLES)
    return [360 * rgb_to_hls(*(int(value[at : at + 2], 16) / 255 for at in (0, 2, 4)))[0] for value in values]


def test_title_is_italic_with_a_blue_edge() -> None:
    assert "font-style: italic" in declarations(".node-title")
    assert "border-inline-start: 3px solid var(--node-title)" in declarations(".node-title")
    assert len(hues("node-title")) == 2
    assert all(195 < hue < 235 for hue in hues("node-title"))


@pytest.mark.parametrize("selector", [".node-summary", ".checkpoint"])
def test_summary_and_checkpoint_have_a_yellow_edge(selector: str) -> None:
    assert "border-inline-start: 3px solid" in declarations(selector)
    assert "var(--node-summary)" in declarations(selector)
    assert len(hues("node-summary")) == 2
    assert all(40 < hue < 60 for hue in hues("node-summary"))


def test_request_for_a_title_or_a_summary_has_a_border() -> None:
    assert "border: 1px solid" in declarations(".node-asked")


def test_accounting_is_a_thin_grey_line_around_its_counts() -> None:
    assert "height: 1px; background: var(--line-strong)" in declarations(".accounting::before, .accounting::after")
    assert "color: var(--muted)" in declarations(".accounting")


def test_request_has_a_bubble_and_a_reply_has_none() -> None:
    assert "border-radius" in declarations(".request")
    assert "background: var(--sunken)" in declarations(".request")
    assert "background" not in declarations(".reply")
    assert "border" not in declarations(".reply")
