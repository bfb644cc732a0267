"""Separate processes convert pages to text. They have limits, and two run at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from app.tools.built_in import page_worker, web_pages
from app.tools.built_in.page_worker import MAX_TEXT, page_text
from app.tools.built_in.web_pages import MAX_AT_ONCE
from tests.sockets import serve_connections
from tests.tools.test_fetching import fetch, text_of
from tests.tools.web import a_site

WORKER = f"""
import sys, types
sys.path.insert(0, {str(Path(page_worker.__file__).parent)!r})
import page_worker
page_worker.%s = %d
page_worker.convert = lambda html: (%s, types.SimpleNamespace(content="done", warnings=[]))[1]
page_worker.main()
"""


WAITER = """
import socket, sys
sys.stdin.buffer.read()
with socket.create_connection(("127.0.0.1", %d)) as peer: peer.recv(1)
print("done")
"""


Put = Callable[[str], None]


@pytest.fixture
def put_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Return a function that replaces the program that converts pages to text."""

    def put(code: str) -> None:
        path = tmp_path / "worker.py"
        path.write_text(code)
        monkeypatch.setattr(web_pages, "_WORKER", path)

    return put


async def test_no_page_is_converted_in_the_process_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def convert(_html: str) -> None:
        pytest.fail("It was converted here.")

    monkeypatch.setattr(page_worker, "convert", convert)
    async with a_site({"/": "<p>Green tea</p>"}, kind="text/html") as site:
        assert "Green tea" in text_of(await fetch(f"http://127.0.0.1:{site.port}/"))


@pytest.mark.parametrize(
    ("name", "most", "convert"),
    [("MAX_MEMORY", 300_000_000, "bytes(400_000_000)"), ("MAX_SECONDS", 1, "sum(1 for _ in range(100_000_000))")],
    ids=["memory", "time"],
)
async def test_a_page_that_takes_more_than_there_is_fails_in_words(
    name: str, most: int, convert: str, put_worker: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a busy machine needs some of these for one second of processor time
    monkeypatch.setattr(web_pages, "SECONDS", 120.0)
    put_worker(WORKER % (name, most, convert))
    async with a_site({"/": "<p>Tea</p>"}, kind="text/html") as site:
        outcome = await fetch(f"http://127.0.0.1:{site.port}/")

    assert outcome.is_error
    assert text_of(outcome) == "The page could not be converted to text. Fetch another page with the same content."


async def test_a_process_ends_with_its_call(put_worker: Put) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def meet(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        began.set()
        await reader.read()
        ended.set()

    async with serve_connections(meet) as port, a_site({"/": "<p>Tea</p>"}) as site, asyncio.timeout(30):
        put_worker(WAITER % port)
        fetching = asyncio.create_task(fetch(f"http://127.0.0.1:{site.port}/"))
        await began.wait()
        fetching.cancel()
        await ended.wait()
        with pytest.raises(asyncio.CancelledError):
            await fetching


async def test_at_most_two_processes_work_at_once(put_worker: Put) -> None:
    at_work: list[asyncio.StreamWriter] = []
    began, most = 0, 0

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal began, most
        at_work.append(writer)
        began, most = began + 1, max(most, len(at_work))
        if len(at_work) >= MAX_AT_ONCE:
            at_work[0].write(b"x")
        if began == 4:
            writer.write(b"x")
        await reader.read()
        at_work.remove(writer)

    async with serve_connections(meet) as port, a_site({"/": "<p>Tea</p>"}) as site, asyncio.timeout(30):
        put_worker(WAITER % port)
        texts = await asyncio.gather(*(fetch(f"http://127.0.0.1:{site.port}/") for _ in range(4)))

    assert all(text_of(text).endswith("done\n") for text in texts)
    assert most == MAX_AT_ONCE


async def test_an_encoding_that_is_none_of_the_web_is_not_used() -> None:
    """Some encodings that Python knows take quadratic time."""
    async with a_site({"/": "<p>Käse-abc</p>"}, kind="text/html; charset=punycode") as site:
        assert "Käse-abc" in text_of(await fetch(f"http://127.0.0.1:{site.port}/"))


def test_a_long_text_is_cut_with_a_note() -> None:
    text = page_text("x" * (MAX_TEXT + 10))

    assert text.startswith("x" * MAX_TEXT)
    assert text.endswith("The rest is left out.]")
    assert len(text) < MAX_TEXT + 200
