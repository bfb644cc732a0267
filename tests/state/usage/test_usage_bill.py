from __future__ import annotations

import pytest

from app.runs.app_context import AppContext
from app.state.usage import bill
from app.state.usage.bill import BillState
from tests.state.conftest import Tab

HEAD = "usage_date_utc,model_version,usage_input_tokens_no_cache,usage_output_tokens\n"
CALLED = "2026-05-01,claude-opus-4-5-20251101,7000,2\n"


async def send(tab: Tab, *pieces: str) -> None:
    for number, text in enumerate(pieces):
        await tab.send(BillState.take_piece, number=number, text=text, is_last=number == len(pieces) - 1)


async def test_file_that_comes_in_pieces_is_compared_line_by_line(ctx: AppContext, tab: Tab) -> None:
    await send(tab, HEAD, CALLED[:20], CALLED[20:])

    compared = tab.shows(BillState, "bill")
    assert compared.summary == "2026-05-01 to 2026-05-01: 0 of 1 line match."
    (line,) = compared.lines
    assert (line.day, line.model, line.verdict) == ("2026-05-01", "claude-opus-4-5", "Only at the provider")
    assert line.tokens == ("0 / 7,000", "0 / 0", "0 / 0", "0 / 2")
    assert tab.shows(BillState, "busy") is False


async def test_file_that_is_no_bill_is_reported_and_the_next_one_starts_again(tab: Tab) -> None:
    await send(tab, "name,value\n1,2\n")
    assert "is not a known usage export" in tab.shows(BillState, "fault")
    assert tab.shows(BillState, "busy") is False

    await send(tab, HEAD + CALLED)
    assert tab.shows(BillState, "fault") == ""
    assert len(tab.shows(BillState, "bill").lines) == 1


async def test_pieces_that_do_not_follow_are_dropped(tab: Tab) -> None:
    await tab.send(BillState.take_piece, number=0, text=HEAD, is_last=False)
    await tab.send(BillState.take_piece, number=2, text=CALLED, is_last=True)
    await tab.send(BillState.take_piece, number=1, text=["x"], is_last=True)

    assert tab.shows(BillState, "bill") is None


async def test_file_that_is_too_large_is_refused_and_not_kept(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bill, "MAX_CHARACTERS", 100)

    await send(tab, HEAD, CALLED)

    assert tab.shows(BillState, "fault") == "The file is larger than 16 MB. Export fewer days."
    assert tab.shows(BillState, "busy") is False


async def test_comparing_without_a_file_says_what_is_missing(tab: Tab) -> None:
    await tab.send(BillState.compare)

    assert "is not a known usage export" in tab.shows(BillState, "fault")
