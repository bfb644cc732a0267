"""A real, small model streams into a real browser, through OpenAI's dialect and through Anthropic's."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.screen import Screen, reload
from tests.e2e.written import call
from tests.real_model import MODEL, real_model
from tests.serving import Served, serving

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(300)]

DIALECTS = {"OpenAI": f"small:{MODEL}", "Anthropic": f"anthropic:{MODEL}"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """A server with two providers for the same model, one per dialect."""
    with real_model() as base_url:
        environment = {
            "INVIEW_COMPATIBLE": f"small={base_url}/v1",
            "ANTHROPIC_API_KEY": "none-is-needed",
            "ANTHROPIC_BASE_URL": base_url,
        }
        with serving(tmp_path_factory.mktemp("real") / "data", environment) as served:
            yield served


@pytest.fixture(scope="module")
def brief(house: Served) -> str:
    """An agent with a low output limit: the model is so small that it may never stop."""
    limits = {"name": "Brief", "parameters": {"max_output_tokens": 150}}
    return call(house.url, "POST", "/agents", limits)["id"]


@pytest.mark.parametrize("model", DIALECTS.values(), ids=DIALECTS.keys())
@pytest.mark.exhaustive
def test_real_reply_streams_survives_a_reload_in_its_middle_and_is_stored_with_its_usage(
    browser: Browser, house: Served, brief: str, model: str
) -> None:
    page = browser.new_page(base_url=house.url)
    conversation = call(house.url, "POST", "/conversations", {"agent_id": brief})["id"]
    screen = Screen(page).go(f"/c/{conversation}")
    page.get_by_role("button", name=re.compile("^Model: ")).click()
    page.get_by_role("combobox", name="Search models").fill(model.replace(":", " "))
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")

    screen.send("Write a short story about a lighthouse keeper and a whale.")
    expect(screen.last_reply).to_have_text(re.compile(r"(\w+\W+){12}"), timeout=60_000)
    early = screen.last_reply.inner_text()
    expect(screen.stop).to_be_visible()
    reload(page)
    screen.wait_for_reply(seconds=120)

    shown = screen.last_reply.inner_text()
    stored = screen.stored_pairs()[0]
    assert len(shown) > len(early)
    assert stored["model"] == model
    assert stored["lifecycle"] == "succeeded"
    assert re.findall(r"\w+", stored["reply_text"]) == re.findall(r"\w+", shown)
    assert stored["usage"]["input_tokens"] > 0
    assert 12 < stored["usage"]["output_tokens"] <= 150
    said = f"output {stored['usage']['output_tokens']:,} tokens"
    expect(page.locator("footer.meta").get_by_role("button", name=said)).to_be_visible()
    page.close()
