"""The page of imports, in the browser: a file is dropped, looked at, imported, opened, and undone."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests import foreign
from tests.e2e.screen import Screen, visit
from tests.serving import Served


def test_an_export_of_another_application_is_looked_at_imported_and_undone(screen: Screen) -> None:
    page = screen.page
    visit(page, "/import")
    file = foreign.written(foreign.chatgpt_with_branches(), {"title": "Odd"})

    page.get_by_label("Export to import").set_input_files(
        {"name": "conversations.json", "mimeType": "application/json", "buffer": file}
    )
    expect(page.get_by_role("heading", name="This is what the file would bring")).to_be_visible()
    expect(page.get_by_text("From ChatGPT")).to_be_visible()
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Imported")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Postgres or MongoDB", exact=True).click()
    expect(screen.pairs).to_have_count(2)
    expect(page.get_by_text("chatgpt:gpt-4o").first).to_be_visible()
    expect(page.get_by_text("Imported from ChatGPT")).to_be_visible()

    visit(page, "/import")
    page.get_by_role("button", name="Undo the import").click()
    expect(page.get_by_role("heading", name="The import was undone")).to_be_visible()
    expect(screen.conversations.filter(has_text="Postgres or MongoDB")).to_have_count(0)


def test_no_file_is_taken_before_the_page_knows_where_it_goes(page: Page, server: Served) -> None:
    page.route_web_socket(re.compile("/_event"), lambda _: None)  # nothing comes of it

    page.goto(f"{server.url}/import")

    expect(page.get_by_text("Drop an export here, or choose a file")).to_be_visible()
    expect(page.get_by_label("Export to import")).to_have_count(0)
