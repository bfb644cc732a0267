"""Topics: created by a path, chosen for a pair or for the next send, changed in the tree, all by keyboard."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import Screen, eventually
from tests.serving import Served


@pytest.fixture(autouse=True)
def no_topics(server: Served, context: Any) -> None:
    """Delete all topics before each test: remove them from all pairs, then delete the deepest topics first."""
    api = context.request
    for listed in json.loads(server.get("/api/v1/conversations?limit=100").body)["items"]:
        for pair in json.loads(server.get(f"/api/v1/conversations/{listed['id']}/pairs").body)["items"]:
            if pair["topic"]:
                api.patch(f"/api/v1/pairs/{pair['id']}", data={"topic_id": None})
    for topic in reversed(topics(server)):
        assert api.delete(f"/api/v1/topics/{topic['id']}").ok
    api.put("/api/v1/preferences", data={})


@pytest.fixture
def one(screen: Screen) -> Screen:
    """Start a conversation of one pair, in VIEW at it."""
    screen.start("/echo one").wait_for_reply()
    press(screen.page, "Escape", "g")
    return screen


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def topics(server: Served) -> list[dict[str, Any]]:
    return json.loads(server.get("/api/v1/topics?order=manual").body)["items"]


def paths(server: Served) -> list[str]:
    return [topic["path"] for topic in topics(server)]


def make(screen: Screen, *names: str) -> None:
    for path in names:
        assert screen.page.request.post("/api/v1/topics", data={"path": path}).ok


def picker(page: Page) -> Locator:
    return page.get_by_role("dialog", name=re.compile("^Topic of "))


def open_for_pair(screen: Screen) -> Locator:
    """Open the picker by its key. An open picker would read the key as text; the pair is stored before it closes."""
    expect(picker(screen.page)).to_have_count(0)
    press(screen.page, "t")
    expect(picker(screen.page).get_by_role("treeitem", name="No topic")).to_be_visible()
    return picker(screen.page)


def row(page: Page, path: str) -> Locator:
    return picker(page).get_by_role("treeitem", name=re.compile(f"^{re.escape(path)}, "))


def topic_of(screen: Screen) -> Any:
    return screen.stored_pairs()[0]["topic"]


def test_path_that_is_not_there_is_created_and_the_topic_renamed(one: Screen, server: Served) -> None:
    open_for_pair(one)
    one.page.keyboard.type("AI > Planning")
    expect(picker(one.page).get_by_role("treeitem", name="Create AI > Planning")).to_be_visible()
    press(one.page, "Enter")

    expect(one.pairs.get_by_role("button", name="Topic: AI > Planning")).to_be_visible()
    expect(one.page.get_by_role("group", name="Request of pair 1")).to_be_focused()
    eventually(lambda: topic_of(one) == "AI > Planning")
    assert paths(server) == ["AI", "AI > Planning"]

    open_for_pair(one)
    expect(row(one.page, "AI > Planning")).to_have_attribute("aria-selected", "true")
    press(one.page, "Tab", "Enter")  # the button of the current row
    name = picker(one.page).get_by_label("Name")
    expect(name).to_be_focused()
    name.fill("Search")
    press(one.page, "Enter")

    expect(picker(one.page).get_by_role("heading", name="AI > Search")).to_be_visible()
    assert paths(server) == ["AI", "AI > Search"]
    press(one.page, "Escape", "Escape")
    expect(picker(one.page)).to_have_count(0)
    expect(one.pairs.get_by_role("button", name="Topic: AI > Search")).to_be_visible()


@pytest.mark.exhaustive
def test_topic_is_searched_chosen_and_taken_away_by_keys(one: Screen) -> None:
    make(one, "AI > Planning", "AI > Search", "Garden")
    open_for_pair(one)
    one.page.keyboard.type("ai sea")
    # the topic, and the option to create the written one
    expect(picker(one.page).get_by_role("treeitem")).to_have_count(2)
    press(one.page, "Enter")
    eventually(lambda: topic_of(one) == "AI > Search")

    open_for_pair(one)
    expect(row(one.page, "AI > Search")).to_have_attribute("aria-selected", "true")
    press(one.page, "ArrowUp", "ArrowUp", "ArrowUp", "Home")
    for _ in range(5):
        if picker(one.page).locator("[data-at]", has_text="No topic").count():
            break
        press(one.page, "ArrowUp")
    press(one.page, "Enter")
    eventually(lambda: topic_of(one) is None)


def shown(page: Page) -> list[str]:
    return picker(page).get_by_role("treeitem").locator(".name").all_inner_texts()[1:]


@pytest.mark.exhaustive
def test_topic_is_dragged_before_another_and_into_another(one: Screen, server: Served) -> None:
    make(one, "A", "B", "C")
    open_for_pair(one)
    picker(one.page).get_by_role("button", name="Sort manually").click()
    expect(picker(one.page).get_by_text("Manual order")).to_be_visible()

    row(one.page, "C").drag_to(row(one.page, "A"), target_position={"x": 60, "y": 3})
    eventually(lambda: paths(server) == ["C", "A", "B"])
    eventually(lambda: shown(one.page) == ["C", "A", "B"])
    row(one.page, "B").drag_to(row(one.page, "C"), target_position={"x": 60, "y": 16})

    eventually(lambda: paths(server) == ["C", "C > B", "A"])
