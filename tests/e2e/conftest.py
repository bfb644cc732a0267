"""The real server and a real Chromium for browser tests; pytest runs this folder in its own process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e import evidence
from tests.e2e.pace import press_like_a_person
from tests.e2e.peer import Peer, serve_peer, serving_beside
from tests.e2e.people import People, Profile
from tests.e2e.screen import Screen
from tests.e2e.written import call
from tests.serving import RUNNING, Served

# The headless shell has no windows, profiles or extensions, and takes a fifth less processor time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium") or "/usr/bin/chromium"
# A loaded machine is slow; a slow page is not an error.
expect.set_options(timeout=30_000)

os.environ |= evidence.ENVIRONMENT  # for the servers that are started here
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    "--renderer-process-limit=1",  # a tab does not start its own process
    "--in-process-gpu",
]


browsers: list[Browser] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failed story what the pages and the servers knew at that moment."""
    report = yield
    if call.when == "call" and report.failed:
        contexts = [context for browser in browsers for context in browser.contexts]
        report.sections.extend(evidence.gather(contexts, RUNNING))
    return report


@pytest.fixture(scope="session")
def peer() -> Generator[Peer]:
    """The provider at the other end of the network."""
    with serve_peer() as served:
        yield served


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, peer: Peer) -> Generator[Served]:
    with serving_beside(peer, tmp_path_factory.mktemp("e2e") / "data") as served:
        yield served


@pytest.fixture(scope="module", autouse=True)
def no_earlier_conversations(server: Served) -> None:
    """Delete the conversations that the stories of other modules left in the list and in the trash."""
    while found := call(server.url, "GET", "/conversations?limit=1")["items"]:  # some are deleted with their parent
        call(server.url, "DELETE", f"/conversations/{found[0]['id']}")
    call(server.url, "DELETE", "/trash")


@pytest.fixture
def prefer(server: Served) -> Generator[Callable[..., None]]:
    """Return a function that sets preferences; all others have their defaults. The defaults return after the test."""

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
        evidence.record_sockets(chromium)
        press_like_a_person(chromium)
        browsers.append(chromium)
        yield chromium
        browsers.remove(chromium)
        chromium.close()


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Generator[dict[str, Profile]]:
    """The profiles by the URL of their server, their person and their options."""
    made: dict[str, Profile] = {}
    yield made
    for profile in made.values():
        profile.context.close()


@pytest.fixture
def people(browser: Browser, profiles: dict[str, Profile], server: Served) -> Generator[People]:
    """People with browsers. An error of a script or a violation of the page's policy fails the test."""
    made = People(browser, server.url, profiles)
    yield made
    made.leave(*(one.context for one in made.used))
    assert made.faults == []


@pytest.fixture
def context(people: People) -> BrowserContext:
    """A person's browser without stored data."""
    return people.context()


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
    """Return a function that opens an address in a new tab of the same browser."""

    def open_tab(path: str) -> Screen:
        tab = context.new_page()
        tab.set_default_timeout(30_000)
        return Screen(tab).go(path)

    return open_tab


@pytest.fixture
def context_page(context: BrowserContext) -> Page:
    """A second tab of the same browser."""
    tab = context.new_page()
    tab.set_default_timeout(30_000)
    return tab
