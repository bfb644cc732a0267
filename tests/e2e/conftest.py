"""The real server and a real Chromium for browser tests; pytest runs this folder in a process of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.peer import Peer, serve_peer, serving_beside
from tests.e2e.screen import Screen
from tests.e2e.written import call
from tests.serving import Served

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
# A loaded machine is slow, not wrong.
expect.set_options(timeout=30_000)

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


@pytest.fixture(scope="session")
def peer() -> Generator[Peer]:
    """The provider at the other end of the network."""
    with serve_peer() as served:
        yield served


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Generator[Served]:
    with serving_beside(peer, tmp_path_factory.mktemp("e2e") / "data") as served:
        yield served


@pytest.fixture
def prefer(server: Served) -> Generator[Callable[..., None]]:
    """Sets preferences; all others are the usual ones, and at the end these are too."""

    def put(**preferences: Any) -> None:
        call(server.url, "PUT", "/preferences", preferences)

    yield put
    put()


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.skip("browser tests need Chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser, server: Served) -> Generator[BrowserContext]:
    """A person's browser. A fault of a script or a breach of the page's policy fails the test."""
    faults: list[str] = []
    opened = browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 800})
    opened.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.on("weberror", lambda fault: faults.append(str(fault.error)))
    opened.on("console", lambda line: faults.append(line.text) if "Content Security Policy" in line.text else None)
    yield opened
    opened.close()
    assert faults == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    return opened


@pytest.fixture
def screen(page: Page) -> Screen:
    """The page of a new conversation, ready to type."""
    return Screen(page).go("/")


@pytest.fixture
def another_screen(context: BrowserContext) -> Callable[[str], Screen]:
    """Opens an address in one more tab of the same browser."""

    def open_tab(path: str) -> Screen:
        tab = context.new_page()
        tab.set_default_timeout(30_000)
        return Screen(tab).go(path)

    return open_tab


@pytest.fixture
def context_page(context: BrowserContext) -> Page:
    """One more tab of the same browser."""
    tab = context.new_page()
    tab.set_default_timeout(30_000)
    return tab
