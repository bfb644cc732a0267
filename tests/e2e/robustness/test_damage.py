"""A pair that cannot be read completely: shown at its position, not sent, and saved as a file or deleted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.screen import Screen, reload
from tests.serving import serving

BROKEN = '[{"type": "text", "text": "tw'


@pytest.fixture
def apart(tmp_path: Path, browser: Browser) -> Generator[Screen]:
    """Open a page of a server whose database is in this test's folder."""
    with serving(tmp_path / "data") as served:
        page: Page = browser.new_page(base_url=served.url)
        page.set_default_timeout(30_000)
        yield Screen(page).go("/")
        page.close()


def test_damaged_pair_is_shown_with_its_options_and_the_rest_works(apart: Screen, tmp_path: Path) -> None:
    screen = apart
    screen.start("/echo one").wait_for_reply()
    screen.send("/echo two").wait_for_reply(2)
    conversation_id = screen.path.rpartition("/")[2]
    with closing(sqlite3.connect(tmp_path / "data/inview.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA busy_timeout = 5000")
        pair_id, message_id = connection.execute(
            "SELECT id, reply_id FROM pair WHERE conversation_id = ? AND position = 2", (conversation_id,)
        ).fetchone()
        connection.execute("UPDATE message SET parts = ? WHERE id = ?", (BROKEN, message_id))

    reload(screen.page)
    damaged = screen.pairs.last
    expect(damaged.get_by_role("alert")).to_contain_text(
        f"The reply (parts): The stored data is garbled or incomplete ({len(BROKEN)} bytes)."
    )
    expect(screen.page.locator(f'[data-pair="{pair_id}"]')).to_have_attribute("data-out", "damaged")
    expect(screen.pairs.first).to_contain_text("one")

    with screen.page.expect_download() as download:
        damaged.get_by_role("link", name="Export raw").click()
    rows = json.loads(download.value.path().read_text())
    assert BROKEN in [row["parts"] for row in rows["message"]]

    screen.send("/echo three").wait_for_reply(3)
    screen.pairs.nth(1).get_by_role("group", name="Next steps").get_by_role("button", name="Delete").click()
    expect(screen.pairs).to_have_count(2)
