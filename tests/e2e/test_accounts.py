"""Accounts in a browser: the first link, signing in and out, and that nothing of one person is there for the next."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.databases import lay_database
from tests.e2e.axe import axe_findings
from tests.e2e.cable import Cable
from tests.e2e.screen import Screen, eventually, visit, wait_until_alive
from tests.serving import INVIEW, ROOT, Served, server_environment, serving

PASSWORD = "correct horse battery"
ACCOUNTS = {"INVIEW_ACCOUNTS": "on"}


@pytest.fixture
def demanding(tmp_path: Path) -> Generator[Served]:
    """A server that demands accounts, and has none yet."""
    lay_database(tmp_path / "data")
    with serving(tmp_path / "data", ACCOUNTS) as served:
        yield served


def first_link(server: Served) -> str:
    """The path that the start prints, a moment after it serves."""
    eventually(lambda: "/welcome?key=" in server.log())
    found = re.search(r"/welcome\?key=\S+", server.log())
    assert found is not None
    return found[0]


def take_link(page: Page, path: str, name: str) -> None:
    """Make an account with a one-time link, as a person does who follows it."""
    page.goto(path)
    page.get_by_label("Name").fill(name)
    page.get_by_label("E-mail address").fill(f"{name.lower()}@example.org")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    wait_until_alive(page)


def sign_out(page: Page) -> None:
    page.goto("/settings")
    wait_until_alive(page)
    page.get_by_role("link", name="Sign out").click()
    page.wait_for_url("**/sign-out")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_two_people_in_one_browser_see_nothing_of_each_other(
    demanding: Served, browser: Browser, tmp_path: Path
) -> None:
    with browser.new_context(base_url=demanding.url) as context:
        page = context.new_page()
        take_link(page, first_link(demanding), "Ann")
        Screen(page).start("/echo for Ann alone").wait_for_reply()
        anns = page.url
        left_open = context.new_page()
        left_open.goto(anns)
        expect(Screen(left_open).pairs).to_have_count(1)

        Screen(page).go("/").write("a draft of Ann's")
        eventually(lambda: "a draft" in page.evaluate("JSON.stringify({...localStorage})"))
        sign_out(page)
        assert "a draft" not in page.evaluate("JSON.stringify({...localStorage})")

        expect(left_open.get_by_role("heading", name="Sign in")).to_be_visible()  # the page that was open leads there
        assert "a draft" not in left_open.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
        left_open.close()
        take_link(page, invited(demanding, tmp_path / "data"), "Ben")
        expect(Screen(page).composer).to_be_visible()
        expect(page.get_by_text("for Ann alone")).to_have_count(0)
        page.goto(anns)
        expect(page.get_by_text("There is no such conversation")).to_be_visible()
        sign_out(page)

        page.get_by_label("E-mail address").fill("ann@example.org")
        page.get_by_label("Password").fill(PASSWORD + "!")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("do not belong together")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        wait_until_alive(page)
        page.goto(anns)
        expect(Screen(page).pairs).to_contain_text("for Ann alone")


def test_an_owner_invites_promotes_and_disables_in_the_page(demanding: Served, browser: Browser) -> None:
    with browser.new_context(base_url=demanding.url) as anns, browser.new_context(base_url=demanding.url) as bens:
        ann, ben = anns.new_page(), bens.new_page()
        take_link(ann, first_link(demanding), "Ann")
        visit(ann, "/settings#people")
        ann.get_by_label("Role of the new person").select_option("Member")
        ann.get_by_role("button", name="Make an invitation").click()
        link = ann.get_by_role("group", name="One-time link").get_by_role("code")
        expect(link).to_contain_text("/welcome?key=")
        take_link(ben, link.inner_text(), "Ben")
        visit(ben, "/settings")
        expect(ben.get_by_role("heading", name="Account")).to_be_visible()
        expect(ben.get_by_role("heading", name="People")).to_have_count(0)

        ann.reload()
        ann.get_by_label("Role of Ben").select_option("Admin")
        expect(ann.get_by_text("Ben has the role Admin now.")).to_be_visible()
        assert axe_findings(ann) == []
        ben.reload()
        expect(ben.get_by_role("heading", name="People")).to_be_visible()
        visit(ben, "/")
        ann.get_by_role("group", name="Ben").get_by_role("button", name="Disable").click()

        expect(ann.get_by_text("Ben · disabled")).to_be_visible()
        expect(ben.get_by_text("Your session has ended.")).to_be_visible()
        expect(ben.get_by_role("heading", name="Sign in")).to_be_visible()
        ann.get_by_role("group", name="Ben").get_by_role("button", name="Delete…").click()
        ann.get_by_label("Type the name to confirm").fill("Ben")
        ann.get_by_role("button", name="Delete for good").click()
        expect(ann.get_by_text("Deleted Ben.")).to_be_visible()


def sign_in(page: Page, name: str) -> None:
    page.get_by_label("E-mail address").fill(f"{name.lower()}@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    wait_until_alive(page)


def invited(server: Served, data_dir: Path) -> str:
    """The path of an invitation that the command makes."""
    made = subprocess.run(
        [INVIEW, "user", "invite", "member"],
        cwd=ROOT,
        env=server_environment(data_dir, server.port, ACCOUNTS),
        capture_output=True,
        text=True,
        check=True,
    )
    return made.stdout.strip()


def test_a_page_whose_session_ended_says_so_and_its_draft_is_there_for_its_person_alone(
    demanding: Served, browser: Browser, tmp_path: Path
) -> None:
    with browser.new_context(base_url=demanding.url) as firsts, browser.new_context(base_url=demanding.url) as seconds:
        first, second = firsts.new_page(), seconds.new_page()
        take_link(first, first_link(demanding), "Ann")
        second.goto("/")
        sign_in(second, "Ann")
        cable = Cable(second)
        second.route_web_socket(re.compile("/_event"), cable.relay)
        Screen(second).go("/").write("half a thought")
        eventually(lambda: "half a thought" in second.evaluate("JSON.stringify({...localStorage})"))
        visit(second, "/trash")  # a page without a composer
        expect(second.get_by_role("heading", name="Trash")).to_be_visible()

        end_others(first)

        expect(second.get_by_text("Your session has ended.")).to_be_visible()
        assert axe_findings(second) == []
        sign_in(second, "Ann")
        expect(Screen(second).composer).to_have_value("half a thought")

        cable.cut()  # the browser sleeps while its session ends
        end_others(first)
        cable.mend()

        expect(second.get_by_text("Your session has ended.")).to_be_visible()
        second.reload()
        take_link(second, invited(demanding, tmp_path / "data"), "Ben")
        expect(Screen(second).composer).to_have_value("")


def end_others(page: Page) -> None:
    visit(page, "/")  # settings that are open already are not read again
    visit(page, "/settings#account")
    page.get_by_role("button", name="Sign out everywhere else").click()
    expect(page.get_by_text("Only this session is left.")).to_be_visible()
