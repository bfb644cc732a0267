"""A row that cannot be read takes no conversation away: it stands in its place, can be exported and be deleted."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import axe_findings
from tests.e2e.screen import Screen
from tests.e2e.written import a_pair, write
from tests.serving import Served

GARBAGE = '{"broken'


def damage(server: Served, pair_id: str) -> None:
    """Write into the reply of this pair what no version of Inview wrote."""
    data_dir = server.output.with_name(server.output.name.removesuffix("-output.txt"))
    with closing(sqlite3.connect(data_dir / "inview.db", timeout=10)) as database:
        changed = database.execute(
            "UPDATE message SET parts = ? WHERE id = (SELECT reply_id FROM pair WHERE id = ?)", (GARBAGE, pair_id)
        )
        database.commit()
    assert changed.rowcount == 1


@pytest.fixture
def damaged(server: Served) -> str:
    """A conversation of three pairs; the reply of the second cannot be read."""
    (conversation,) = write(
        server,
        {
            "title": "Harvest",
            "model": "offline:demo",
            "pairs": [a_pair("Apples?", "Ripe."), a_pair("Pears?", "Green."), a_pair("Plums?", "Gone.")],
        },
    )
    damage(server, f"{conversation}-2")
    return conversation


def test_a_damaged_reply_is_named_the_rest_is_shown_and_the_conversation_goes_on(page: Page, damaged: str) -> None:
    screen = Screen(page).go(f"/c/{damaged}")

    expect(screen.pairs).to_have_count(3)
    expect(screen.pairs.nth(0)).to_contain_text("Ripe.")
    expect(screen.pairs.nth(2)).to_contain_text("Gone.")
    note = screen.pairs.nth(1).locator("[data-damage]")
    expect(note.get_by_role("alert")).to_contain_text("cannot be read")
    expect(screen.pairs.nth(1)).to_contain_text("Pears?")

    screen.send("/echo and quinces?")
    screen.wait_for_reply(4)

    expect(screen.last_reply).to_contain_text("and quinces?")
    expect(note).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_what_is_damaged_leaves_raw_and_is_deleted_by_keyboard(
    page: Page, damaged: str, tmp_path: Path, width: int, scheme: str
) -> None:
    page.set_viewport_size({"width": width, "height": 900 if width > 400 else 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    screen = Screen(page).go(f"/c/{damaged}")
    options = screen.pairs.nth(1).get_by_role("group", name="What to do about the damage")
    expect(options).to_be_visible()
    assert axe_findings(page) == []

    with page.expect_download() as leaving:
        options.get_by_role("link", name="Export raw data").press("Enter")
    leaving.value.save_as(tmp_path / "raw.json")
    raw = json.loads((tmp_path / "raw.json").read_text())
    assert GARBAGE in json.dumps(raw, ensure_ascii=False).replace('\\"', '"')

    options.get_by_role("button", name="Delete…").press("Enter")

    expect(screen.pairs).to_have_count(2)
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    expect(page.locator("[data-damage]")).to_have_count(0)
    expect(screen.pairs.nth(1)).to_contain_text("Gone.")
