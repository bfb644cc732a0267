"""The list by hand and by keyboard: pins, folders, archive and several rows at once."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.screen import Screen
from tests.e2e.written import call
from tests.serving import Served, serving

TITLES = ("Apples", "Bread", "Cherries")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(Path(tmp_path_factory.mktemp("placement")) / "data") as served:
        yield served


@pytest.fixture
def page(browser: Browser, house: Served) -> Generator[Page]:
    for item in call(house.url, "GET", "/conversations")["items"]:
        call(house.url, "DELETE", f"/conversations/{item['id']}")
    for folder in call(house.url, "GET", "/folders")["items"]:
        call(house.url, "DELETE", f"/folders/{folder['id']}")
    for title in TITLES:
        call(house.url, "POST", "/conversations", {"title": title})
    page = browser.new_page(base_url=house.url)
    Screen(page).go("/")
    expect(rows(page)).to_have_count(3)
    yield page
    page.close()


def rows(page: Page) -> Locator:
    return page.locator(".conversation-row")


def names(page: Page) -> list[str]:
    return [text.split("\n")[0] for text in rows(page).all_inner_texts()]


def link(page: Page, name: str) -> Locator:
    return rows(page).filter(has_text=name).get_by_role("link")


def test_keys_of_a_row_pin_archive_and_move_it_and_arrows_walk(page: Page) -> None:
    link(page, "Cherries").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(link(page, "Apples")).to_be_focused()
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="Pinned")).to_be_visible()
    assert names(page) == ["Apples", "Cherries", "Bread"]

    link(page, "Bread").focus()
    page.keyboard.press("m")
    page.get_by_role("textbox", name="New folder").fill("Baking")
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_count(2)
    page.get_by_role("button", name="Baking: 1 conversation").click()
    expect(link(page, "Bread")).to_be_visible()
    page.get_by_role("button", name="All chats").click()

    link(page, "Cherries").focus()
    page.keyboard.press("a")
    expect(rows(page)).to_have_count(1)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(rows(page)).to_have_count(2)


def test_a_row_is_dragged_to_a_folder(page: Page) -> None:
    page.get_by_role("button", name="New folder").click()
    page.get_by_role("textbox", name="Name of the folder").fill("Fruit")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This folder is empty.")).to_be_visible()
    page.get_by_role("button", name="All chats").click()

    link(page, "Apples").drag_to(page.get_by_role("button", name="Fruit: 0 conversations"))

    expect(page.get_by_role("button", name="Fruit: 1 conversation")).to_be_visible()
    expect(rows(page)).to_have_count(2)


def test_several_are_selected_deleted_and_brought_back(page: Page) -> None:
    rows(page).filter(has_text="Apples").hover()
    page.get_by_role("button", name="More for Apples").click()
    page.get_by_role("button", name="Select").click()
    expect(page.get_by_role("checkbox", name="Select Apples")).to_be_checked()
    page.get_by_role("checkbox", name="Select Cherries").check()
    expect(page.get_by_text("2 selected")).to_be_visible()

    page.get_by_role("group", name="Select").get_by_role("button", name="Delete").click()

    expect(rows(page)).to_have_count(1)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(rows(page)).to_have_count(3)


def test_a_reply_that_ended_unseen_has_a_dot_on_every_device_until_it_is_opened(
    browser: Browser, page: Page, house: Served
) -> None:
    other = browser.new_page(base_url=house.url)
    Screen(other).go("/")
    here, there = (rows(one).get_by_role("img", name="New reply") for one in (page, other))
    bread = next(one for one in call(house.url, "GET", "/conversations")["items"] if one["title"] == "Bread")

    call(house.url, "POST", f"/conversations/{bread['id']}/send", {"text": "/echo rises"})

    expect(here).to_have_count(1)
    expect(there).to_have_count(1)
    link(page, "Bread").click()
    expect(here).to_have_count(0)
    expect(there).to_have_count(0)
    other.close()


def test_rows_are_marked_by_key_by_menu_and_several_at_once_and_undo_brings_the_marks_back(page: Page) -> None:
    dots = rows(page).get_by_role("img", name="New reply")
    link(page, "Bread").focus()
    page.keyboard.press("u")
    expect(dots).to_have_count(1)
    rows(page).filter(has_text="Apples").hover()
    page.get_by_role("button", name="More for Apples").click()
    page.get_by_role("button", name="Mark as unread").click()
    expect(dots).to_have_count(2)

    link(page, "Bread").focus()
    page.keyboard.press("s")
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("group", name="Select").get_by_role("button", name="Mark as read").click()

    expect(dots).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(dots).to_have_count(2)


def test_the_menu_above_the_list_counts_lists_and_shows_them(page: Page, house: Served) -> None:
    ids = {one["title"]: one["id"] for one in call(house.url, "GET", "/conversations")["items"]}
    call(house.url, "PATCH", f"/conversations/{ids['Apples']}", {"unread": True})
    call(house.url, "POST", f"/conversations/{ids['Cherries']}/send", {"text": "/fail model"})
    menu = page.get_by_role("combobox", name="Which conversations are listed")
    expect(menu.get_by_role("option", name="Unread (2)")).to_be_attached()

    menu.select_option("Unread (2)")
    expect(rows(page)).to_have_count(2)
    menu.select_option("Failed")
    expect(rows(page)).to_have_count(1)
    expect(link(page, "Cherries")).to_be_visible()
    link(page, "Cherries").click()
    expect(menu.get_by_role("option", name="Unread (1)")).to_be_attached()
    menu.select_option("Temporary")
    expect(page.get_by_text("None is like that.")).to_be_visible()
    page.locator(".list-filter").get_by_role("button", name="List all chats").click()
    expect(rows(page)).to_have_count(3)


def test_several_are_exported_as_one_file_that_brings_them_back(page: Page, house: Served) -> None:
    link(page, "Bread").focus()
    page.keyboard.press("s")
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("group", name="Select").get_by_role("button", name="Export").click()
    menu = page.get_by_role("dialog", name="Export")
    expect(menu.get_by_text("Export 3 conversations")).to_be_visible()

    with page.expect_download() as coming:
        menu.get_by_role("button", name="JSON").click()
    file = json.loads(Path(coming.value.path()).read_text(encoding="utf-8"))

    assert coming.value.suggested_filename.endswith(".json")
    assert sorted(one["title"] for one in call(house.url, "POST", "/import", file)["conversations"]) == [*TITLES]
    page.get_by_role("group", name="Select").get_by_role("button", name="Export").click()
    with page.expect_download() as coming:
        menu.get_by_role("button", name="Markdown").click()
    with ZipFile(coming.value.path()) as archive:
        assert sorted(archive.namelist()) == [f"{title}.md" for title in TITLES]
