"""Diagrams: drawn in a frame that reaches nothing, shown as an image, and their code wherever that does not work."""

from __future__ import annotations

import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, Request, expect

from tests.e2e.screen import Screen, eventually
from tests.serving import Served

FLOW = "```mermaid\ngraph TD\nA[Start] --> B[End]\n```"
SVG = "() => decodeURIComponent(document.querySelector('button.diagram img').src)"
FORGED = "<svg xmlns='http://www.w3.org/2000/svg'><title>forged</title></svg>"
FORGER = f"""<script>setInterval(() => {{
  const forged = {{ svg: "{FORGED}", title: "forged" }}, {{ port1, port2 }} = new MessageChannel();
  parent.postMessage(forged, "*", [port1]);
  for (let at = 0; at < parent.length; at++) parent[at].postMessage(forged, "*", [new MessageChannel().port1]);
}}, 1)</script>"""

LOAD_IMAGE = """new Promise((done) => {
  const image = Object.assign(new Image(), { onload: () => done("reached"), onerror: () => done("refused") });
  image.src = "/favicon.svg";
})"""

ATTACKS = (
    'graph TD\nA-->B\nclick A call alert(1)\nclick B call alert("x")',
    'graph TD\nA-->B\nclick A href "javascript:alert(1)"\nclick B href "PEER/link"',
    (
        '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\ngraph TD\n'
        'A["<img src=PEER/x onerror=alert(1)>"] --> B["<script>alert(1)</script>"]\nclick A call alert(1)'
    ),
    '---\nconfig:\n  securityLevel: loose\n  htmlLabels: true\n---\ngraph TD\nA["<svg onload=alert(1)>"]',
    'graph TD\nA["<foreignObject><iframe src=PEER/f onload=alert(1)></iframe></foreignObject>"]',
    '%%{init: {"themeCSS": "@import url(PEER/css); * { background: url(PEER/bg) }"}}%%\ngraph TD\nA',
    (
        "---\nconfig:\n  fontFamily: 'x; } @font-face { font-family: y; src: url(PEER/font) }"
        " * { background: url(PEER/b)'\n---\ngraph TD\nA"
    ),
    'graph TD\nA@{ img: "PEER/node.png", label: "x" }',
    "graph TD\nA\nstyle A fill:url(PEER/fill),background:url(PEER/style)\nclassDef c fill:url(PEER/class)\nclass A c",
    "sequenceDiagram\nA->>B: <img src=PEER/s onerror=alert(1)>\nlink A: L @ javascript:alert(1)",
    'classDiagram\nclass A\nlink A "javascript:alert(1)"\ncallback A "alert" "x"',
    "gantt\ntitle <img src=x onerror=alert(1)>\nsection s\nx: a1, 2020-01-01, 1d\nclick a1 call alert(1)",
    'pie title </title><script>alert(1)</script>\n"</text><image href=PEER/pie>": 3',
)


class Recorder(BaseHTTPRequestHandler):
    """A server elsewhere, which answers nothing useful and remembers what it was asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        pass


@pytest.fixture
def elsewhere() -> Generator[tuple[str, list[str]]]:
    """The address of a server elsewhere, and what it was asked for."""
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Asked", (Recorder,), {"asked": asked}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def bare(browser: Browser, server: Served) -> Generator[Page]:
    """A page in a browser of its own: what the policy of the frame refuses is no fault here."""
    context = browser.new_context(base_url=server.url)
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def images(screen: Screen) -> Locator:
    return screen.page.locator("button.diagram img")


def is_drawn(image: Locator) -> bool:
    return image.evaluate("(it) => it.complete && it.naturalWidth > 20 && it.naturalHeight > 20")


def test_diagram_is_an_image_with_its_code_behind_a_switch(screen: Screen) -> None:
    screen.start(f"/echo {FLOW}").wait_for_reply()
    page = screen.page

    expect(images(screen)).to_be_visible()
    eventually(lambda: is_drawn(images(screen)))
    expect(page.locator("iframe")).to_have_count(0)
    page.get_by_role("button", name="Code", exact=True).click()
    expect(screen.last_reply.locator("pre")).to_have_text("graph TD\nA[Start] --> B[End]")
    page.get_by_role("button", name="Copy code").click()
    expect(page.get_by_role("button", name="Copy code")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "graph TD\nA[Start] --> B[End]"
    page.get_by_role("button", name="Diagram", exact=True).first.click()
    expect(images(screen)).to_be_visible()


def test_nothing_of_diagrams_is_fetched_before_one_appears(screen: Screen) -> None:
    fetched: list[str] = []
    screen.page.on("request", lambda request: fetched.append(request.url))

    screen.start("/echo Words.\n\n```py\nx = 1\n```\n\n```mermaid\ngraph TD\nA-->B").wait_for_reply()
    expect(screen.page.locator("pre .hljs-number")).to_be_visible()
    assert [url for url in fetched if "diagram" in url] == []
    screen.send(f"/echo {FLOW}\n\n{FLOW.replace('TD', 'LR')}")
    expect(images(screen)).to_have_count(2)

    assert len([url for url in fetched if url.endswith("/diagram.html")]) == 1


def test_code_that_mermaid_cannot_read_stays_code_with_the_reason(screen: Screen) -> None:
    screen.start("/echo ```mermaid\ngraph TD\nA --> --> B\n```").wait_for_reply()

    expect(screen.last_reply).to_contain_text("Mermaid cannot draw this code: Parse error on line 2")
    expect(screen.last_reply.locator("pre")).to_have_text("graph TD\nA --> --> B")


def test_long_code_stays_code_and_has_no_frame(screen: Screen) -> None:
    fetched: list[str] = []
    screen.page.on("request", lambda request: fetched.append(request.url))
    lines = "\n".join(f"A{number} --> B{number}" for number in range(800))
    screen.start(f"/echo ```mermaid\ngraph TD\n{lines}\n```").wait_for_reply()

    expect(screen.last_reply).to_contain_text("more than 10,000 characters")
    assert [url for url in fetched if url.endswith("/diagram.html")] == []


def test_frame_that_gives_no_answer_goes_and_the_next_one_draws(screen: Screen) -> None:
    def stay_silent(request: Request) -> bool:
        return request.url.endswith("/diagram.html")

    screen.page.route("**/diagram.html", lambda route: route.fulfill(content_type="text/html", body="<p>no"))
    with screen.page.expect_request(stay_silent):
        screen.start(f"/echo {FLOW}")
    expect(screen.last_reply).to_contain_text("was not drawn within 15 seconds")
    expect(screen.page.locator("iframe")).to_have_count(0)
    screen.page.unroute("**/diagram.html")

    screen.send(f"/echo {FLOW}")

    expect(images(screen).last).to_be_visible()


def test_diagram_is_drawn_anew_for_the_other_theme(screen: Screen) -> None:
    screen.start(f"/echo {FLOW}").wait_for_reply()
    expect(images(screen)).to_be_visible()
    light = screen.page.evaluate(SVG)

    screen.page.emulate_media(color_scheme="dark")

    eventually(lambda: screen.page.evaluate(SVG) != light)


def test_click_shows_the_diagram_in_its_actual_size(screen: Screen) -> None:
    wide = "```mermaid\ngraph LR\n" + "-->".join(f"A{number}[A long label]" for number in range(12)) + "\n```"
    screen.start(f"/echo {wide}").wait_for_reply()
    button = screen.page.locator("button.diagram")
    expect(button).to_have_attribute("aria-pressed", "false")
    fitted = images(screen).evaluate("(it) => it.clientWidth")

    button.click()

    expect(button).to_have_attribute("aria-pressed", "true")
    assert images(screen).evaluate("(it) => it.clientWidth === it.naturalWidth && it.clientWidth") > fitted


def test_attacks_run_nothing_and_fetch_nothing(bare: Page, elsewhere: tuple[str, list[str]]) -> None:
    address, asked = elsewhere
    ran: list[str] = []

    def note(dialog: Dialog) -> None:
        ran.append(dialog.message)
        dialog.dismiss()

    bare.on("dialog", note)
    blocks = "\n\n".join(f"```mermaid\n{attack}\n```" for attack in ATTACKS).replace("PEER", address)
    screen = Screen(bare).go("/").start(f"/echo {blocks}").wait_for_reply()

    eventually(lambda: bare.locator("button.diagram, .diagram-fault").count() == len(ATTACKS), 60)
    assert bare.locator("button.diagram").count() >= 6
    for button in bare.locator("button.diagram").all():
        button.click()
    eventually(lambda: all(image.evaluate("(it) => it.complete") for image in images(screen).all()))
    screen.send("/echo still here").wait_for_reply(2)

    assert (ran, asked) == ([], [])
    assert bare.locator("figure.code :is(script, iframe, object, svg:not(.copy svg), a)").count() == 0


def test_messages_of_other_frames_are_not_believed(bare: Page) -> None:
    bare.route("**/forger", lambda route: route.fulfill(content_type="text/html", body=FORGER))
    screen = Screen(bare).go("/")
    bare.evaluate(
        """() => { const made = document.createElement("iframe"); made.src = "/forger"; document.body.append(made); }"""
    )
    expect(bare.frame_locator("iframe[src='/forger']").locator("script")).to_have_count(1)

    screen.start(f"/echo {FLOW}").wait_for_reply()

    expect(images(screen)).to_be_visible()
    assert "Start" in bare.evaluate(SVG)
    assert "forged" not in bare.evaluate(SVG)


@pytest.mark.parametrize(
    "code",
    [
        "graph TD\n" + "\n".join(f"A{number % 40}-->A{number * 7 % 40}" for number in range(390)),
        "graph TD\n" + "\n".join(f"A{number}" for number in range(1500)),
        "graph TD\n" + "subgraph s\n" * 200 + "A\n" + "end\n" * 200,
        "graph TD\n" + "A(" * 2000,
    ],
    ids=["edges", "nodes", "depth", "brackets"],
)
def test_page_is_usable_while_a_huge_graph_is_drawn(bare: Page, code: str) -> None:
    screen = Screen(bare).go("/").start(f"/echo ```mermaid\n{code}\n```").wait_for_reply()

    screen.send("/echo meanwhile").wait_for_reply(2)

    expect(bare.locator("button.diagram, .diagram-fault")).to_have_count(1)
    expect(bare.locator("iframe")).to_have_count(0)


def test_frame_has_no_origin_and_reaches_nothing(bare: Page, server: Served) -> None:
    bare.goto("/diagram.html")
    assert bare.evaluate("origin") == "null"
    for reach in (
        "fetch('/api/v1/conversations').then(() => 'reached', () => 'refused')",
        "fetch('https://example.org').then(() => 'reached', () => 'refused')",
        LOAD_IMAGE,
    ):
        assert bare.evaluate(reach) == "refused"
    headers = server.get("/diagram.html").headers
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert "sandbox allow-scripts" in headers["content-security-policy"]
