"""No telemetry: without a provider that somebody set up, server and page speak to nobody but each other.

The server notes each connection it makes (`connections/sitecustomize.py`). It looks for model servers on their usual
ports of this machine, as the README says: that leaves the machine as little as the page does.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

import rxconfig
from app.cli.build import build_environment
from app.providers.registry import PROVIDERS
from tests.e2e.screen import Screen, eventually, visit
from tests.e2e.test_payloads import watching
from tests.e2e.written import call
from tests.serving import Served, serving

NOTING = Path(__file__).with_name("connections")
LOCAL = {f"127.0.0.1:{row.local_port}" for row in PROVIDERS.values() if row.local_port is not None}
NO_NAME = {"name 127.0.0.1"}
"""An address that was handed over as a name: nobody is asked for it."""


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("noted") / "connections.txt"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, noted: Path) -> Generator[Served]:
    path = os.pathsep.join([str(NOTING), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {"PYTHONPATH": path, "CONNECTIONS": str(noted), "INVIEW_TITLES": "on"}
    with serving(tmp_path_factory.mktemp("quiet") / "data", environment) as served:
        yield served


def asked(noted: Path) -> set[str]:
    return set(noted.read_text().split("\n")) - {""}


def test_nobody_is_told_that_inview_runs_or_what_is_done_with_it(
    context: BrowserContext, server: Served, noted: Path
) -> None:
    with watching(context, server.url) as seen:
        page = context.new_page()
        screen = Screen(page).go("/")
        screen.start("/echo How many **tokens** are in $x^2$?\n\n```py\nprint(1)\n```").wait_for_reply()
        listed = call(server.url, "GET", "/conversations")["items"]
        made = next(one["id"] for one in listed if one["parent_id"] is None)  # not the child that writes its title
        call(server.url, "POST", f"/conversations/{made}/shares", {})
        for path in (
            "/settings",
            "/usage",
            "/agents",
            "/prompts",
            "/pairs",
            "/trash",
            "/import",
            "/shared",
            "/shares",
            "/audit",
            "/status",
        ):
            visit(page, path)
            page.wait_for_load_state("networkidle")
        eventually(lambda: bool(asked(noted) & LOCAL))  # it does note: model servers were looked for
        expect(page.get_by_role("navigation").first).to_be_visible()

    assert seen.fetched == []
    assert asked(noted) - LOCAL - NO_NAME == set()


def test_a_connection_that_nobody_asked_for_would_be_noted(server: Served, noted: Path) -> None:
    """Shows that the test above would notice: a server that somebody enters is connected to, and noted."""
    before = asked(noted)
    there = {"name": "there", "kind": "http", "url": "http://127.0.0.1:9/mcp", "allow_private": True}
    call(server.url, "POST", "/mcp-servers", there)
    made = call(server.url, "GET", "/mcp-servers")["items"][0]["id"]

    call(server.url, "POST", f"/mcp-servers/{made}/test", {})

    eventually(lambda: "127.0.0.1:9" in asked(noted) - before)


def test_building_the_page_tells_nobody() -> None:
    environment = build_environment()

    assert rxconfig.config.telemetry_enabled is False
    assert environment["REFLEX_TELEMETRY_ENABLED"] == "false"
    assert environment["REFLEX_CHECK_LATEST_VERSION"] == "false"
    assert {environment[f"npm_config_{name}"] for name in ("audit", "fund", "update_notifier")} == {"false"}
