"""Pages as text, from a site on this machine; and everything that is not fetched."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from app.domain.conversation.parts import Text
from app.domain.tools.tools import Caller, ToolOutcome
from app.tools.built_in import web_pages
from app.tools.built_in.fetching import fetch_page
from app.tools.built_in.web_pages import MAX_BYTES, MAX_CHARACTERS
from app.tools.network.addresses import AddressGuard
from tests.tools.web import a_site

HERE = AddressGuard(allow_private=True)

PAGE = """<!doctype html><html><head><title>Tea</title><style>p{}</style><script>alert("no")</script></head>
<body><h1>Tea</h1><p>Steep for <b>four</b> minutes. <a href="/more">More</a></p>
<table><tr><th>Kind</th></tr><tr><td>Green</td></tr></table></body></html>"""


def ignore(done: float, total: float | None, words: str) -> None: ...


async def fetch(url: str, guard: AddressGuard = HERE, **more: Any) -> ToolOutcome:
    return await fetch_page(guard).call(Caller("local"), {"url": url, **more}, ignore)


def text_of(outcome: ToolOutcome) -> str:
    (part,) = outcome.content
    assert isinstance(part, Text)
    return part.text


async def test_page_comes_as_text_without_its_scripts() -> None:
    async with a_site({"/": PAGE}) as site:
        outcome = await fetch(f"http://127.0.0.1:{site.port}/")

    text = text_of(outcome)
    assert not outcome.is_error
    assert "# Tea" in text
    assert "Steep for **four** minutes." in text
    assert "| Green |" in text
    assert "alert" not in text


async def test_long_page_comes_in_pieces() -> None:
    async with a_site({"/": "a" * MAX_CHARACTERS + "the rest"}, kind="text/plain") as site:
        url = f"http://127.0.0.1:{site.port}/"
        first = text_of(await fetch(url))
        second = text_of(await fetch(url, start=MAX_CHARACTERS))

    assert first.endswith(f"[8 more characters: call again with start {MAX_CHARACTERS}.]")
    assert second.endswith("\n\nthe rest")


@pytest.mark.parametrize(("charset", "said"), [("; charset=latin-1", ""), ("", '<meta charset="latin-1">')])
async def test_words_are_read_in_the_encoding_they_are_in(charset: str, said: str) -> None:
    async with a_site({"/": f"{said}<p>Käse</p>".encode("latin-1")}, kind=f"text/html{charset}") as site:
        assert "Käse" in text_of(await fetch(f"http://127.0.0.1:{site.port}/"))


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/", "javascript:alert(1)", "http://a:b@example.org/", "", 5, "http://["],
)
async def test_what_is_no_address_of_a_page_is_refused(url: Any) -> None:
    outcome = await fetch(url)

    assert outcome.is_error
    assert "http or https address" in text_of(outcome)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "localhost", "169.254.169.254", "0x7f000001", "10.0.0.1", "[::ffff:127.0.0.1]"]
)
async def test_nothing_of_the_inside_is_fetched(address: str) -> None:
    outcome = await fetch(f"http://{address}/latest/meta-data", AddressGuard())

    assert outcome.is_error
    assert "cannot be fetched" in text_of(outcome)


async def test_redirect_inside_is_not_followed() -> None:
    async with a_site({"/": "secret"}) as inside:

        class OnlyTheFirst(AddressGuard):
            async def find(self, host: str, port: int) -> list[str]:
                return ["127.0.0.1"] if host == "public.example" else await super().find(host, port)

        async with a_site({}, redirects={"/": f"http://localhost:{inside.port}/"}) as outside:
            outcome = await fetch(f"http://public.example:{outside.port}/", OnlyTheFirst())

    assert outcome.is_error
    assert not inside.asked


async def test_endless_redirects_end() -> None:
    async with a_site({}, redirects={"/": "/"}) as site:
        assert "redirects too often" in text_of(await fetch(f"http://127.0.0.1:{site.port}/"))


async def test_redirect_to_another_scheme_is_not_followed() -> None:
    async with a_site({}, redirects={"/": "file:///etc/passwd"}) as site:
        outcome = await fetch(f"http://127.0.0.1:{site.port}/")

    assert outcome.is_error
    assert "root:" not in text_of(outcome)


async def test_huge_compressed_and_foreign_things_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_site({"/": b"x" * (MAX_BYTES + 1)}) as site:
        assert "larger than" in text_of(await fetch(f"http://127.0.0.1:{site.port}/"))
    async with a_site({"/": b"\x1f\x8b"}, headers="Content-Encoding: gzip\r\n") as site:
        assert "compressed" in text_of(await fetch(f"http://127.0.0.1:{site.port}/"))
    async with a_site({"/": b"MZ"}, kind="application/x-msdownload") as site:
        assert "not text" in text_of(await fetch(f"http://127.0.0.1:{site.port}/"))


async def test_page_that_is_not_there_is_an_error_with_its_status() -> None:
    async with a_site({}) as site:
        outcome = await fetch(f"http://127.0.0.1:{site.port}/nowhere")

    assert outcome.is_error
    assert "status 404" in text_of(outcome)


async def test_site_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_pages, "SECONDS", 0.1)

    async with a_site({"/": "never"}, hangs=True) as site:
        assert "did not load within" in text_of(await fetch(f"http://127.0.0.1:{site.port}/"))


@pytest.mark.parametrize("redirects", [{}, {"/": "/1", "/1": "/2", "/2": "/3", "/3": "/4", "/4": "/last"}])
async def test_site_that_drips_or_leads_on_slowly_has_one_time_limit_in_all(
    monkeypatch: pytest.MonkeyPatch, redirects: dict[str, str]
) -> None:
    monkeypatch.setattr(web_pages, "SECONDS", 1.0)
    pages = {"/": "x" * 300, "/last": "x"}

    # Each wait is within the limit, all together are ten times as long.
    async with a_site(pages, redirects=redirects, drips=0.6 if redirects else 0.05) as site, asyncio.timeout(60):
        outcome = await fetch(f"http://127.0.0.1:{site.port}/")

    assert outcome.is_error
    assert "did not load within 1 seconds" in text_of(outcome)


async def test_offering_it_does_not_import_what_only_fetching_needs() -> None:
    names = ("httpx2", "httpcore2", "html_to_markdown")
    probe = f"import sys, app.runs.wiring; print([name for name in {names} if name in sys.modules])"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", probe, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()

    assert output.decode().strip() == "[]"
