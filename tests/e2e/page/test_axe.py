"""axe-core finds nothing on six pages: with one window for the gate, with four windows for `make test-all`."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.e2e.page.test_looks import MOTION
from tests.e2e.screen import Screen, visit, visit_settings, wait_until_painted
from tests.e2e.written import a_pair, call, write
from tests.serving import Served

AXE = Path(__file__).parents[2] / "islands/node_modules/axe-core/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# an experimental rule of axe, which runs only if it is named
RULES = {"label-content-name-mismatch": {"enabled": True}}
FINDINGS = """async (options) => {
  const { violations } = await axe.run(document, { ...options, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map((it) => `${id}: ${it.html.slice(0, 300)}\n  ${
    it.any.concat(it.all, it.none).map((check) => check.message).join("; ")} (${it.target})`));
}"""
DANGLING = """() => ["aria-describedby", "aria-labelledby", "aria-activedescendant"].flatMap((name) =>
  [...document.querySelectorAll(`[${name}]`)]
    .filter((it) => it.getAttribute(name).split(" ").some((id) => !document.getElementById(id)))
    .map((it) => `${name} of ${it.outerHTML.slice(0, 200)}`))"""
"""Elements that refer to an element that does not exist; axe does not check this."""
TOO_SMALL = """() => [...document.querySelectorAll("article footer :is(button, summary)")]
  .map((it) => [it, it.getBoundingClientRect()])
  .filter(([, { width, height }]) => width && (Math.round(width) < 24 || Math.round(height) < 24))
  .map(([it, { width, height }]) => `${it.ariaLabel ?? it.textContent}: ${width} × ${height}`)"""
"""Controls below a reply that are narrower or lower than 24 px. For a finger: test_fingers.py."""
REPLY = """# A title

Words with `code`, a [link](https://example.org) and a note.[^1]

```python
print("long", "words " * 20)  # a line that is wider than any window of a telephone, and then some more of it
```

| city | rain | a column with a long title | and another one |
|---|---|---|---|
| Bergen | 2,495 mm | many words stand in this cell of the table | and as many here |

- [x] done
- [ ] not done

> [!NOTE]
> A callout.

$$e = mc^2$$

[^1]: The note.
"""
CONVERSATION = {
    "title": "Rain in Bergen",
    "system_prompt": "Be brief.",
    "pairs": [
        a_pair("/echo one", "One.", stars=2, mark="out"),
        a_pair("How much does it rain?", REPLY, flagged=True),
        a_pair("And then?", "It was", lifecycle="canceled"),
        a_pair("Why?", None, lifecycle="error"),
    ],
}
MENUS = [
    re.compile(name)
    for name in ("^Model: ", "^Add to the message", "^Conversation menu", "to be sent now", "are sent$")
]
SECTIONS = ("privacy", "context", "titles", "tools", "permissions", "appearance", "keys")
LOOKS = {
    f"{name}-{scheme}": (ViewportSize(width=width, height=height), scheme)
    for name, width, height in (("wide", 1440, 900), ("phone", 390, 844))
    for scheme in ("light", "dark")
}


FIRST, *OTHERS = LOOKS.values()


@pytest.fixture(
    params=[FIRST, *(pytest.param(look, marks=pytest.mark.exhaustive) for look in OTHERS)],
    ids=list(LOOKS),
)
def seen(request: pytest.FixtureRequest, browser: Browser, server: Served) -> Generator[Page]:
    """A page with one window size and colour scheme, with axe-core in it."""
    assert AXE.exists(), "axe-core is not installed: make .venv/islands"
    size, scheme = request.param
    phone = size["width"] < 800
    context = browser.new_context(
        base_url=server.url, viewport=size, color_scheme=scheme, has_touch=phone, is_mobile=phone
    )
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


@contextmanager
def an_agent(server: Served) -> Generator[None]:
    """Create an agent. Delete it after the test: the agent used last answers in other tests' new conversations."""
    made = call(server.url, "POST", "/agents", {"name": "Reviewer", "system_prompt": "Find the fault."})
    yield
    call(server.url, "DELETE", f"/agents/{made['id']}")


def findings(page: Page, where: str) -> list[str]:
    """Return axe's findings for the current page, once nothing moves."""
    expect(page.locator("[data-old]")).to_have_count(0)  # an estimate of an earlier draft is covered
    page.evaluate(MOTION)
    wait_until_painted(page)
    return findings_at_once(page, where)


def findings_at_once(page: Page, where: str) -> list[str]:
    """Return axe's findings for the page at this moment."""
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text())  # through the debugger: the page's policy does not allow this script
    options: dict[str, Any] = {"runOnly": {"type": "tag", "values": TAGS}, "rules": RULES}
    found: list[str] = [*page.evaluate(FINDINGS, options), *page.evaluate(DANGLING)]
    return [f"{where}: {each}" for each in found]


def test_axe_finds_nothing_on_six_pages(seen: Page, server: Served) -> None:
    conversation = write(server, CONVERSATION)[0]
    found: list[str] = []

    screen = Screen(seen).go("/")
    expect(seen.get_by_role("list", name="Examples")).to_be_visible()
    found += findings(seen, "start")

    screen.go(f"/c/{conversation}")
    expect(screen.pairs).to_have_count(4)
    expect(seen.locator("pre .hljs-string").first).to_be_visible()
    found += findings(seen, "conversation")
    found += [f"too small to press: {each}" for each in seen.evaluate(TOO_SMALL)]

    seen.get_by_role("button", name="Show request", exact=True).click()
    panel = seen.get_by_role("complementary", name="Request of the next send").get_by_role("tabpanel", name="Readable")
    expect(panel).to_contain_text("How much does it rain?")
    found += findings(seen, "inspector")

    visit_settings(seen)
    found += findings(seen, "settings")

    with an_agent(server):
        visit(seen, "/agents")
        expect(seen.get_by_role("listitem").filter(has_text="Find the fault.")).to_be_visible()
        seen.get_by_role("button", name="New agent").click()
        expect(seen.get_by_role("form", name="New agent")).to_be_visible()
        found += findings(seen, "agents")

    visit(seen, "/usage")
    expect(seen.get_by_role("region", name="Spending")).to_be_visible()
    found += findings(seen, "usage")

    assert not found, "\n".join(found)


@pytest.mark.exhaustive
def test_axe_finds_nothing_on_the_other_pages_menus_and_dialogs(seen: Page, server: Served) -> None:
    screen = Screen(seen).go(f"/c/{write(server, CONVERSATION)[0]}")
    found: list[str] = []
    expect(screen.pairs).to_have_count(4)

    for control in MENUS:
        seen.get_by_role("button", name=control).filter(visible=True).first.click()
        expect(seen.get_by_role("button", name=control, expanded=True).first).to_be_visible()
        found += findings(seen, control.pattern)
        seen.keyboard.press("Escape")
        expect(seen.get_by_role("button", name=control, expanded=True)).to_have_count(0)
    seen.keyboard.press("Escape")
    seen.keyboard.press("?")
    expect(seen.get_by_role("dialog", name="Keyboard shortcuts and filters")).to_be_visible()
    found += findings(seen, "sheet")
    for section in SECTIONS:
        visit_settings(seen, section)
        found += findings(seen, f"settings, {section}")
    call(server.url, "DELETE", f"/conversations/{write(server, {'title': 'Old plans', 'pairs': []})[0]}")
    visit(seen, "/trash")
    expect(seen.get_by_role("button", name="Restore Old plans").first).to_be_visible()
    found += findings(seen, "trash")
    visit(seen, "/nothing/here")
    found += findings(seen, "not found")

    assert not found, "\n".join(found)
