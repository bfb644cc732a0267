"""Structured replies that show their source."""

from __future__ import annotations

from app.state.reply.structured import MAX_SOURCES, StructuredState
from tests.state.conftest import Tab


async def test_source_is_shown_and_the_value_again(tab: Tab) -> None:
    for pair_id in ("p1", "p2", "p1"):
        await tab.send(StructuredState.toggle_source, pair_id=pair_id)

    assert tab.shows(StructuredState, "sources") == ("p2",)


async def test_page_remembers_a_bounded_number_of_sources(tab: Tab) -> None:
    for number in range(MAX_SOURCES + 2):
        await tab.send(StructuredState.toggle_source, pair_id=f"p{number}")
    await tab.send(StructuredState.toggle_source, pair_id="x" * 100)
    await tab.send(StructuredState.toggle_source, pair_id=None)

    sources = tab.shows(StructuredState, "sources")
    assert (len(sources), sources[-1]) == (MAX_SOURCES, f"p{MAX_SOURCES + 1}")
