"""Agents on screen: created, chosen, seen in the history, deleted and restored."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.screen import Screen, eventually, reload, visit
from tests.e2e.written import call
from tests.serving import Served


@pytest.fixture(autouse=True)
def nobody_else(server: Served) -> Generator[None]:
    """Delete all agents after the test: the agent used last would answer in the new conversations of other tests."""
    yield
    for agent in call(server.url, "GET", "/agents")["items"]:
        call(server.url, "DELETE", f"/agents/{agent['id']}")


def start_page_names_the_agent_used_last(screen: Screen) -> None:
    page, said = screen.page, screen.page.get_by_text("The agent Reviewer answers")
    screen.go("/")
    expect(said).to_be_visible()
    page.get_by_role("button", name="Start without the agent Reviewer").click()
    expect(page.get_by_role("button", name="Agent: No agent")).to_be_visible()
    expect(said).to_have_count(0)
    expect(screen.composer).to_be_focused()


def undo_and_dismiss_keep_the_focus_on_the_page(page: Page) -> None:
    page.locator(".toast").get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("button", name="Edit Reviewer")).to_be_visible()
    expect(page.locator("#centre")).to_be_focused()
    page.locator(".toast").get_by_role("button", name="Dismiss").press("Enter")
    expect(page.locator(".toast")).to_have_count(0)
    expect(page.locator("#centre")).to_be_focused()


def deleted_rows_leave_the_focus_on_the_next_row_and_then_on_the_heading(page: Page, server: Served) -> None:
    call(server.url, "POST", "/agents", {"name": "Another"})
    reload(page)
    page.get_by_role("button", name="Delete Another").press("Enter")
    expect(page.locator(".agents-list li")).to_have_count(1)
    expect(page.locator(".agents-list li").filter(has_text="Reviewer")).to_be_focused()
    page.get_by_role("button", name="Delete Reviewer").press("Enter")
    expect(page.get_by_text("No agents yet.")).to_be_visible()
    expect(page.get_by_role("heading", name="Agents")).to_be_focused()


def test_an_agent_is_made_by_keys_chosen_and_seen_where_it_answers(screen: Screen, server: Served) -> None:
    page = screen.page
    visit(page, "/agents")
    expect(page.get_by_text("No agents yet.")).to_be_visible()
    notes = {"name": "notes.json", "mimeType": "application/json", "buffer": b"Buy milk."}
    page.get_by_label("Agent files").set_input_files(notes)  # pyright: ignore[reportArgumentType] - its own TypedDict by another name
    expect(
        page.get_by_role("alert").filter(has_text="Nothing was imported from notes.json. The file is not JSON")
    ).to_be_visible()

    page.get_by_role("button", name="New agent").press("Enter")
    form = page.get_by_role("form", name="New agent")
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("Reviewer")
    form.get_by_label("System prompt").fill("Find the fault.")
    form.get_by_label("Temperature").fill("3")
    form.get_by_label("Name", exact=True).press("Enter")
    expect(form.get_by_label("Temperature")).to_have_attribute("aria-invalid", "true")
    expect(form.get_by_role("alert")).to_contain_text("Not saved")
    expect(form.get_by_label("Temperature")).to_be_focused()
    form.get_by_label("Temperature").fill("0.5")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listitem").filter(has_text="Find the fault.")).to_be_visible()

    screen.go("/")
    screen.start("/echo of agents").wait_for_reply()
    page.get_by_role("button", name="Agent: No agent").click()
    page.get_by_role("combobox", name="Search agents").fill("rev")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Agent: Reviewer")).to_be_visible()
    expect(page.locator(".card").filter(has_text="Agent: Reviewer")).to_contain_text("Find the fault.")
    screen.send("/echo two").wait_for_reply(2)

    expect(page.get_by_text("Reviewer answers from here")).to_have_count(1)
    expect(screen.pairs.last.locator("footer.meta")).to_contain_text("Reviewer")
    first, second = screen.stored_pairs()
    assert (first["agent"], second["agent"]) == (None, "Reviewer")

    start_page_names_the_agent_used_last(screen)
    page.get_by_label("Agent of the conversation").select_option(label="Reviewer")
    expect(screen.conversations.filter(has_text="/echo of agents")).to_have_count(1)
    page.get_by_label("Kind of conversation").select_option("failed")
    expect(page.get_by_text("No conversations found.")).to_be_visible()
    reload(page)
    expect(page.get_by_text("No conversations found.")).to_be_visible()
    expect(page.get_by_label("Kind of conversation")).to_have_value("failed")
    page.get_by_role("group", name="Conversation filter").get_by_role("button", name="List all chats").press("Enter")
    expect(screen.conversations.filter(has_text="/echo of agents")).to_have_count(1)

    (agent,) = call(server.url, "GET", "/agents")["items"]
    assert agent["parameters"]["temperature"] == 0.5
    visit(page, "/agents")
    deleted_rows_leave_the_focus_on_the_next_row_and_then_on_the_heading(page, server)
    undo_and_dismiss_keep_the_focus_on_the_page(page)
    eventually(lambda: len(call(server.url, "GET", "/agents")["items"]) == 1)


@pytest.mark.exhaustive
def test_work_handed_over_is_reached_from_its_card_and_leads_back(
    screen: Screen, server: Served, prefer: Callable[..., None]
) -> None:
    page = screen.page
    prefer(built_in_tools=["delegate"])
    call(server.url, "POST", "/agents", {"name": "Reviewer"})
    screen.start('/tool delegate {"agent": "Reviewer", "task": "/echo All is well."}')
    asking = screen.path
    page.get_by_role("button", name="Allow once").click()
    screen.wait_for_reply()

    page.locator(".tool-card > summary").click()
    page.get_by_role("link", name="Open the conversation of Reviewer").press("Enter")
    expect(screen.last_reply).to_have_text("All is well.")
    head = page.locator(".forked-from")
    expect(head).to_contain_text("Made for")
    expect(head).to_contain_text("pair 1")

    head.get_by_role("link").press("Enter")
    expect(page.locator(".tool-card")).to_contain_text("delegate")
    assert screen.path == asking


@pytest.mark.exhaustive
def test_a_form_goes_back_where_it_was_opened_and_keeps_what_was_typed_when_refused(
    screen: Screen, server: Served
) -> None:
    page = screen.page
    allowed = [{"server_id": "built-in", "tool": "clock", "ask": False}]
    call(server.url, "POST", "/agents", {"name": "Reviewer", "allowed_tools": allowed, "parameters": {"seed": 7}})
    visit(page, "/agents")

    page.get_by_role("button", name="Edit Reviewer").press("Enter")
    form = page.get_by_role("form", name="Agent Reviewer")
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    expect(form.get_by_label("Seed")).to_have_value("7")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Edit Reviewer")).to_be_focused()

    page.get_by_role("button", name="Duplicate Reviewer").press("Enter")
    form = page.get_by_role("form", name="New agent")
    expect(form.get_by_label("Name", exact=True)).to_have_value("Reviewer copy")
    form.get_by_label("Name", exact=True).fill("Reviewer")
    form.get_by_label("System prompt").fill("Typed and not lost.")
    form.get_by_label("Effort").select_option("high")
    form.get_by_role("button", name="Allow tools…").click()
    line = form.get_by_role("group", name="Allowed tools, line 2")
    line.get_by_label("Tool name or pattern").fill("read_*")
    form.get_by_role("button", name="Create agent").click()
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    expect(form.get_by_text("An agent named 'Reviewer' already exists.")).to_be_visible()
    expect(form.get_by_label("System prompt")).to_have_value("Typed and not lost.")
    expect(form.get_by_label("Effort")).to_have_value("high")
    expect(line.get_by_label("Tool name or pattern")).to_have_value("read_*")

    form.get_by_label("Name", exact=True).fill("Critic")
    form.get_by_role("checkbox", name="Tools of all servers").click()
    expect(form.get_by_role("checkbox", name="Tools of all servers")).not_to_be_checked()
    expect(form.get_by_text("No tool servers yet.")).to_be_visible()
    form.get_by_role("group", name="Allowed tools, line 1").get_by_role("button", name="Remove line 1").click()
    expect(form.get_by_role("group", name="Allowed tools, line 2")).to_have_count(0)
    form.get_by_role("button", name="Create agent").click()
    expect(page.get_by_role("listitem").filter(has_text="Typed and not lost.")).to_be_visible()
    expect(page.get_by_role("button", name="Duplicate Reviewer")).to_be_focused()
    made = next(agent for agent in call(server.url, "GET", "/agents")["items"] if agent["name"] == "Critic")
    assert (made["parameters"]["effort"], made["server_ids"]) == ("high", [])
    assert [(one["server_id"], one["tool"], one["ask"]) for one in made["allowed_tools"]] == [
        ("built-in", "read_*", True)
    ]


@pytest.mark.exhaustive
def test_agents_are_exported_as_files_and_imported_again(screen: Screen, server: Served, tmp_path: Path) -> None:
    page = screen.page
    call(server.url, "POST", "/agents", {"name": "Reviewer of code", "system_prompt": "Find the fault."})
    visit(page, "/agents")

    with page.expect_download() as one:
        page.get_by_role("button", name="Export Reviewer of code").click()
    with page.expect_download() as all_of_them:
        page.get_by_role("button", name="Export all").click()
    assert one.value.suggested_filename == "agent-Reviewer-of-code.json"
    assert all_of_them.value.suggested_filename == "agents.json"
    file = tmp_path / "agents.json"
    one.value.save_as(file)
    faulty = tmp_path / "faulty.json"
    faulty.write_text(file.read_text()[:-20])
    page.get_by_label("Agent files").set_input_files([faulty, file])

    expect(page.get_by_role("button", name="Edit Reviewer of code 2")).to_be_visible()
    expect(page.locator(".toast")).to_contain_text("Nothing was imported from faulty.json. The file is not JSON")
    expect(page.locator(".toast")).to_contain_text("Imported “Reviewer of code 2” from agents.json. The tools ask")
