"""Whatever happens to the frames, a browser ends with the server's values: Reflex's own script, in a real browser.

The page has the script of the installed Reflex, changed as the build changes it, and the real Socket.IO. The server has
the real namespace. Between them frames are lost, repeated or late, connections are cut, and pages request everything.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import subprocess
import threading
from collections.abc import Callable, Coroutine, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
import reflex_base
from playwright.sync_api import Browser, Page
from starlette.types import Receive, Scope, Send

from app.patches.apply import plain
from app.patches.namespace import _Client  # pyright: ignore[reportPrivateUsage] - faults happen below it
from app.patches.plugin import with_patches
from tests.effort import EFFORT
from tests.node import NODE
from tests.patches.rows import Colour, Row
from tests.patches.served import Server, serving

ROOT = Path(__file__).parents[3]
REFLEX = Path(reflex_base.__file__).parent / ".templates/web/utils"
SOCKET_IO = ROOT / "tests/islands/node_modules/socket.io-client/dist/socket.io.esm.min.js"
SEQUENCES = EFFORT.patches
STUBS = """
  export const useCallback = 0, useEffect = 0, useRef = 0, useState = 0, mergician = 0;
  export const useLocation = 0, useNavigate = 0, useSearchParams = 0, useParams = 0;
  export const app = {}, eventLoop = {};
  export default class { version = "0"; static version = "0"; get() {} set() {} }
"""
STRIP = """
  import { stripTypeScriptTypes } from "node:module";
  import { readFileSync } from "node:fs";
  process.stdout.write(stripTypeScriptTypes(readFileSync(process.argv[1], "utf8")));
"""
T = TypeVar("T")


class FaultyServer(Server):
    """A server whose frames are lost, repeated or late. `faults`: the share of such frames, from 0 to 1."""

    def __init__(self) -> None:
        super().__init__()
        self.random = random.Random(13)
        self.faults = 0.0
        self.unnamed = 0
        """The number of frames that had only a text."""
        self._late: list[tuple[_Client, str]] = []

    async def stir(self) -> str:
        """Change values while frames are faulty. Return the script that the page runs meanwhile."""
        self.faults = self.random.choice([0.0, 0.2, 0.6])
        for _ in range(self.random.randint(1, 6)):
            if self.random.random() < 0.6:
                await self.add(**self._more_text())
            else:
                await self.show(**self._change())
            if self.random.random() < 0.2:
                await asyncio.sleep(0.001)
        self.faults = 0.0
        if self.random.random() < 0.02:
            self.cut_all()
        return self.random.choices(["", "cut()", "hydrate()"], [20, 1, 1])[0]

    async def end(self, mark: int) -> str:
        """Add text twice and change all values, without a fault. Return the values that the page must show."""
        await self._send_late()
        rows: tuple[Row, ...] = self.values["rows"]
        for _ in range(2 if rows else 0):
            rows = (*rows[:-1], replace(rows[-1], text=f"{rows[-1].text}!"))
            await self.add(rows=rows)  # the second frame has only the text, if a page is connected
        dialog: Row | None = self.values["dialog"]
        last = replace(dialog, text=f"{dialog.text}.") if dialog else Row(mark)
        await self.show(rows=(*rows[-20:], Row(mark)), dialog=last, points=((mark, 0.5),), mark=mark)
        shown = {name: value for name, value in self.values.items() if name != "is_hydrated"}
        return json.dumps({f"{name}_rx_state_": plain(value) for name, value in shown.items()})

    async def _send(self, client: _Client, frame: str) -> None:
        self.unnamed += frame.startswith("2/_event,+")
        fault = self.random.choice(["lost", "twice", "late"]) if self.random.random() < self.faults else ""
        if fault == "late":
            self._late.append((client, frame))
        elif fault != "lost":
            await super()._send(client, frame)
            await self._send_late()
            if fault == "twice":
                await super()._send(client, frame)

    async def _send_late(self) -> None:
        late, self._late = self._late, []
        for client, frame in late:
            await super()._send(client, frame)

    def _more_text(self) -> dict[str, Any]:
        """Return a value with more text: mostly in the last row, as while a reply streams."""
        rows: list[Row] = list(self.values["rows"])
        more = self.random.choice(["a", "é", "😀", "\ud83d", "\ude00", "\n+1,2B"])  # also the halves of "😀"
        dialog: Row | None = self.values["dialog"]
        if dialog and self.random.random() < 0.2:
            return {"dialog": replace(dialog, text=dialog.text + more)}
        if rows:
            at = self.random.choice([-1, -1, -1, 0])
            rows[at] = replace(rows[at], text=rows[at].text + more)
        return {"rows": tuple(rows)}

    def _change(self) -> dict[str, Any]:
        chance = self.random
        rows = list(self.values["rows"])
        if rows and chance.random() < 0.6:
            at = chance.randrange(len(rows))
            rows[at] = replace(
                rows[at], text=rows[at].text + chance.choice(["a", "é", "😀"]), colour=chance.choice(list(Colour))
            )
        if chance.random() < 0.3:
            rows.insert(chance.randint(0, len(rows)), Row(chance.randint(0, 30), tags=("x",)))
        if rows and chance.random() < 0.2:
            rows.pop(chance.randrange(len(rows)))
        if chance.random() < 0.1:
            chance.shuffle(rows)
        dialog = chance.choice([None, Row(1), self.values["dialog"], Row(1, inner=Row(2, "b"))])
        changes = {"rows": tuple(rows), "dialog": dialog, "points": ((len(rows), 1.5),), "mark": -1}
        return {name: changes[name] for name in chance.sample(list(changes), chance.randint(1, 3))}


@pytest.fixture
def loop() -> Generator[asyncio.AbstractEventLoop]:
    """Run an event loop in a separate thread: Playwright uses the loop of this one."""
    made = asyncio.new_event_loop()

    def work() -> None:
        made.run_forever()
        left = asyncio.all_tasks(made)
        for task in left:
            task.cancel()
        if left:
            made.run_until_complete(asyncio.wait(left))
        made.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join()


@pytest.fixture
def run(loop: asyncio.AbstractEventLoop) -> Callable[[Coroutine[Any, Any, T]], T]:
    return lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result(60)


@pytest.fixture
def faulty(run: Callable[[Coroutine[Any, Any, Any]], Any]) -> Generator[FaultyServer]:
    if not SOCKET_IO.exists():
        pytest.fail("The browser half is not installed here: make .venv/islands")
    logging.getLogger("reflex").setLevel(logging.ERROR)  # a tab that disconnects is no fault here
    served = serving(faulty := FaultyServer(), Files())
    run(served.__aenter__())
    yield faulty
    run(served.__aexit__(None, None, None))


class Files:
    """Serve the page and its scripts."""

    def __init__(self) -> None:
        strip = [NODE, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", STRIP]
        patches = subprocess.run([*strip, ROOT / "app/patches/apply.ts"], capture_output=True, check=True).stdout
        self._files = {
            "/": (ROOT / "tests/patches/page.html").read_bytes(),
            "/state.js": with_patches((REFLEX / "state.js").read_text()).encode(),
            "/patches.js": patches,
            "/socket.io.js": SOCKET_IO.read_bytes(),
            "/stubs.js": STUBS.encode(),
            **{f"/helpers/{path.name}": path.read_bytes() for path in (REFLEX / "helpers").glob("*.js")},
        }

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        path = scope["path"]
        host = dict(scope["headers"])[b"host"].decode()
        env = f'export default {{ "EVENT": "ws://{host}/_event", "PING": "http://{host}/", "TRANSPORT": "websocket" }};'
        body = env.encode() if path == "/env.js" else self._files.get(path, b"")
        kind = b"text/html; charset=utf-8" if path == "/" else b"text/javascript; charset=utf-8"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        await send({"type": "http.response.body", "body": body})


@pytest.fixture
def tab(browser: Browser, faulty: FaultyServer) -> Generator[Page]:
    context = browser.new_context()
    faults: list[str] = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    page = context.new_page()
    faulty.values = {"is_hydrated": True, "rows": (Row(1),), "dialog": None, "points": (), "mark": 0}
    page.goto(f"http://127.0.0.1:{faulty.port}/")
    page.wait_for_function("() => window.becomes")
    yield page
    context.close()
    assert faults == []


def test_a_thousand_random_sequences_end_in_the_values_of_the_server(
    tab: Page, faulty: FaultyServer, run: Callable[[Coroutine[Any, Any, Any]], Any]
) -> None:
    def becomes(expected: str) -> str | None:
        return tab.evaluate("(expected) => becomes(JSON.parse(expected))", expected)

    assert becomes(json.dumps({"rows_rx_state_": [plain(Row(1))], "mark_rx_state_": 0})) is None
    for mark in range(1, SEQUENCES + 1):
        if wish := run(faulty.stir()):
            tab.evaluate(wish)
            run(faulty.stir())
        expected = run(faulty.end(mark))
        assert (instead := becomes(expected)) is None, f"sequence {mark}: {expected}\n{instead}"
    assert faulty.hydrates > SEQUENCES / 20
    assert faulty.unnamed > SEQUENCES / 5
