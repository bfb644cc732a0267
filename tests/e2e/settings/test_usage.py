"""Usage on the page: the cost of a reply, a conversation and each request, the page of usage, budgets, a bill."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.screen import Screen, eventually, visit
from tests.e2e.written import call
from tests.serving import Served

MODEL = "offline:tiny"


@pytest.fixture
def priced(server: Served) -> Generator[str]:
    """A conversation with one reply that cost a thousand dollars per million tokens, so that cents are visible."""
    price = f"/prices/{today()}?model={MODEL}"
    call(server.url, "PUT", price, {"input": "1000", "output": "1000"})
    conversation = call(server.url, "POST", "/conversations", {"model": MODEL, "title": "Dear talk"})["id"]
    yield conversation
    call(server.url, "DELETE", price)


def today() -> str:
    """Return the day on which a test runs; a run may pass midnight."""
    return datetime.now(UTC).date().isoformat()


def spent_of(server: Served, conversation: str) -> float:
    return float(call(server.url, "GET", f"/conversations/{conversation}/usage")["total"]["cost"])


def test_what_a_reply_cost_is_seen_on_its_page_and_on_the_page_of_usage_with_its_budgets(
    page: Page, server: Served, priced: str, tmp_path: Path
) -> None:
    cost_of_a_reply_is_seen_in_its_line_in_the_top_bar_and_request_by_request(page, server, priced, tmp_path)
    page_of_usage_adds_up_exports_and_keeps_budgets(page, server, priced, tmp_path)


def cost_of_a_reply_is_seen_in_its_line_in_the_top_bar_and_request_by_request(
    page: Page, server: Served, priced: str, tmp_path: Path
) -> None:
    screen = Screen(page).go(f"/c/{priced}")
    screen.send("/long 3 /rate 0")
    screen.wait_for_reply()
    eventually(lambda: spent_of(server, priced) > 0)
    cost = spent_of(server, priced)

    expect(screen.pairs.last.locator(".about")).to_contain_text(re.compile(r"\d tokens in, \d+ out · \$\d"))
    total = page.get_by_role("button", name=re.compile("Used in this conversation"))
    expect(total).to_contain_text(f"${cost:.3f}" if cost < 1 else f"${cost:.2f}")

    total.click()
    requests = page.get_by_role("list", name="Requests, newest first")
    expect(requests.get_by_role("listitem")).to_have_count(1)
    expect(requests).to_contain_text("Reply, pair 1")

    requests.get_by_role("button", name="Show request").click()
    sent = page.get_by_role("dialog", name="Sent request")
    expect(sent.get_by_role("listitem")).to_have_count(1)
    expect(sent.get_by_role("listitem")).to_contain_text("/long 3 /rate 0")
    with page.expect_download() as downloading:
        sent.get_by_role("link", name="Download").click()
    downloading.value.save_as(tmp_path / "request.json")
    (message,) = json.loads((tmp_path / "request.json").read_text())["messages"]
    assert message["parts"][0]["text"] == "/long 3 /rate 0"
    page.keyboard.press("Escape")
    expect(sent).to_have_count(0)
    expect(requests).to_be_visible()

    page.keyboard.press("Escape")
    screen.send("/long 2 /rate 0")
    screen.wait_for_reply(2)
    eventually(lambda: spent_of(server, priced) > cost)
    expect(total).to_contain_text(re.compile(re.escape(f"${spent_of(server, priced):.2f}"[:4])))


def page_of_usage_adds_up_exports_and_keeps_budgets(page: Page, server: Served, priced: str, tmp_path: Path) -> None:
    screen = Screen(page)
    page.get_by_role("link", name="Usage", exact=True).click()

    report = page.get_by_role("region", name="Spending")
    expect(report.get_by_role("img", name=re.compile("Cost by day"))).to_be_visible()
    table = report.get_by_role("region", name="Table of usage")
    expect(table.get_by_role("row", name=re.compile("Offline tiny"))).to_contain_text("$")
    expect(table.get_by_role("columnheader")).to_have_text([*["Model", "Cost"], *[re.compile(".")] * 6])
    assert table.evaluate("it => it.scrollWidth <= it.clientWidth"), "a column is out of sight"
    report.get_by_label("Group by").select_option("conversation")
    expect(table.get_by_role("link", name="Dear talk").first).to_be_visible()
    report.get_by_role("button", name="Tokens").click()
    expect(report.get_by_role("img", name=re.compile("Tokens by day"))).to_be_visible()
    expect(report.get_by_role("list", name="Legend")).to_have_text(re.compile("Output.*Input.*Cache write.*Cache read"))
    report.get_by_label("Period").select_option("all time")
    expect(report.get_by_role("img", name=re.compile("Tokens by month"))).to_be_visible()
    with page.expect_download() as downloading:
        report.get_by_role("link", name="Download as CSV").click()
    downloading.value.save_as(tmp_path / "usage.csv")
    assert "Dear talk" in (tmp_path / "usage.csv").read_text()

    form = page.get_by_role("form", name="Set a budget")
    form.get_by_label("Budget period").select_option("day")
    form.get_by_label("Amount").fill("much")
    form.get_by_role("button", name="Set budget").click()
    expect(page.get_by_role("alert").filter(has_text="not an amount of US dollars")).to_be_visible()
    form.get_by_label("Amount").fill("0.001")
    form.get_by_role("button", name="Set budget").click()
    budget = page.get_by_role("list", name="Budgets").get_by_role("listitem")
    try:
        expect(budget).to_contain_text("Spent")
        expect(budget).to_contain_text("tiny")

        screen.go(f"/c/{priced}")
        expect(page.get_by_role("button", name=re.compile("budget for a day"))).to_be_visible()
        screen.write("Once more")
        page.keyboard.press("Enter")
        expect(page.get_by_text(re.compile("Raise or remove the budget"))).to_be_visible()
        expect(screen.composer).to_have_value("Once more")
        visit(page, "/usage")
        budget.get_by_role("button", name=re.compile("Remove the budget")).click()
        expect(budget).to_have_count(0)
    finally:
        for one in call(server.url, "GET", "/budgets")["items"]:
            call(server.url, "DELETE", f"/budgets/{one['scope']}/{one['span']}")


@pytest.mark.exhaustive
def test_a_bill_of_several_pieces_is_put_together_again(page: Page, tmp_path: Path) -> None:
    bill = tmp_path / "bill.csv"
    line = "2026-05-01,claude-opus-4-5-20251101,70,2,naïve café\n"
    bill.write_text(
        "usage_date_utc,model_version,usage_input_tokens_no_cache,usage_output_tokens,note\n" + line * 10_000
    )
    visit(page, "/usage")
    expect(page.get_by_text("No budgets yet.")).to_be_visible()

    page.get_by_label("Usage export of the provider").set_input_files(bill)

    found = page.get_by_role("region", name="Differences")
    expect(found.get_by_role("row", name=re.compile("2026-05-01"))).to_contain_text("0 / 700,000")
