"""A real Chromium over its DevTools protocol, opened for each measurement, and the same for app and floor.

Not Playwright: it enables the Network domain in every page. The renderer's main thread then reports each frame, and a
node process decodes it. This costs more with one push per chunk (the floor) than with few large pushes. Here a page has
only the instruments that its measurement needs, and none while its main thread is measured.

    async with chromium() as browser:
        tab = await browser.open(LAG)
        await tab.go(url)
        await tab.type_and_send("hello")
        await tab.marks()          # {chunk index: wall clock seconds when it appeared in the DOM}
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.bench.instruments import machine

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--window-size=1280,800",
    "--remote-debugging-port=0",
)
REST_AT_MOST = 10.0  # seconds

NOTHING = ""
# Record when each marker first appears in the DOM. In a growing text only the new part is read.
LAG = """(() => {
  const marks = {}, read = new WeakMap();
  globalThis.__bench = {marks, enter: 0};
  const scan = (text, now) => {
    for (const [, index] of text.matchAll(/mk(\\d+)x/g)) marks[index] ??= now;
  };
  new MutationObserver((records) => {
    const now = performance.timeOrigin + performance.now();
    for (const {type, target, addedNodes} of records) {
      if (type === "characterData") {
        scan(target.data.slice(Math.max(0, (read.get(target) ?? 0) - 12)), now);
        read.set(target, target.data.length);
      } else for (const node of addedNodes) {
        if (node.nodeType === 3) read.set(node, node.data.length);
        scan(node.textContent, now);
      }
    }
  }).observe(document, {subtree: true, childList: true, characterData: true});
  addEventListener("keydown", (event) => {
    if (event.key === "Enter") globalThis.__bench.enter = performance.timeOrigin + performance.now();
  }, true);
})()"""
# Record the first moment at which a text area accepts text and keeps it (the caller checks that it is kept).
TYPING = """(() => {
  globalThis.__bench = {typing: 0};
  const attempt = () => {
    const box = document.querySelector("textarea:enabled");
    if (!box?.getClientRects().length) return setTimeout(attempt, 2);
    box.focus();
    document.execCommand("insertText", false, "typed");
    if (box.value !== "typed") return setTimeout(attempt, 2);
    globalThis.__bench.typing = performance.timeOrigin + performance.now();
  };
  attempt();
})()"""

# Measure the milliseconds from an action of a person to its result in the DOM. Each action is done once in both
# directions.
ACTS = """(() => {
  const find = (selector) => document.querySelector(selector);
  const until = (done, act) => new Promise((resolve) => {
    const started = performance.now();
    const look = () => {
      if (!done()) return;
      observer.disconnect();
      resolve(performance.now() - started);
    };
    const observer = new MutationObserver(look);
    observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    act();
    look();
  });
  const rest = () => new Promise((resolve) => setTimeout(resolve, 300));
  const articles = () => document.querySelectorAll("main article").length;
  globalThis.__bench = {
    star: () => {
      const stars = [...document.querySelectorAll("main article:last-of-type [role=group][aria-label^=Stars] button")];
      const star = stars.find((button) => button.getAttribute("aria-pressed") !== "true");
      return until(() => star.getAttribute("aria-pressed") === "true", () => star.click());
    },
    dialog: () => until(() => find("dialog[open]"), () => find("[aria-label^='Delete '][class]:not(main *)").click()),
    close: async () => {
      if (find("dialog[open]")) await until(() => !find("dialog[open]"), () => find("dialog[open] .quiet").click());
    },
    filter: async () => {
      const line = find("[aria-label=Filter] input, input[aria-label=Filter]");
      const wanted = articles() > 10 ? "r10" : "";
      line.focus();
      line.select();
      document.execCommand("insertText", false, wanted || " ");
      if (!wanted) document.execCommand("delete");
      await rest();
      const enter = new KeyboardEvent("keydown", {key: "Enter", code: "Enter", bubbles: true, cancelable: true});
      return until(() => (articles() > 10) === !wanted, () => line.dispatchEvent(enter));
    },
  };
})()"""


def appears(text: str) -> str:
    """Record when this text first appears in the DOM, and when the next frame is drawn."""
    return """(() => {
      const wall = () => performance.timeOrigin + performance.now(), text = TEXT;
      globalThis.__bench = {shown: 0, drawn: 0};
      const observer = new MutationObserver((records) => {
        if (!records.some(({target, addedNodes}) => target.data?.includes(text)
            || [...addedNodes].some((node) => node.textContent.includes(text)))) return;
        observer.disconnect();
        globalThis.__bench.shown = wall();
        requestAnimationFrame(() => setTimeout(() => { globalThis.__bench.drawn = wall(); }));
      });
      observer.observe(document, {subtree: true, childList: true, characterData: true});
    })()""".replace("TEXT", json.dumps(text))


@asynccontextmanager
async def chromium() -> AsyncGenerator[Chromium]:
    """Start a browser with an empty profile. Both are removed at the end."""
    with tempfile.TemporaryDirectory(prefix="inview-bench-", ignore_cleanup_errors=True) as profile:
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        process = await asyncio.create_subprocess_exec(*command, stdout=DEVNULL, stderr=DEVNULL)
        try:
            address = await _devtools_address(Path(profile))
            async with connect(address, max_size=None, compression=None, ping_interval=None) as socket:
                yield Chromium(process.pid, socket)
        finally:
            children = psutil.Process(process.pid).children(recursive=True)
            process.terminate()
            await process.wait()
            await asyncio.to_thread(psutil.wait_procs, children, timeout=5)


def draws_pages(process: psutil.Process) -> bool:
    """Return whether the process is a renderer. False for an ended process, also while it is a zombie."""
    try:
        return "--type=renderer" in process.cmdline()
    except psutil.NoSuchProcess:
        return False


async def _devtools_address(profile: Path) -> str:
    port_file = profile / "DevToolsActivePort"
    for _ in range(1500):
        if port_file.exists() and port_file.read_text().count("\n"):
            port, path = port_file.read_text().splitlines()
            return f"ws://127.0.0.1:{port}{path}"
        await asyncio.sleep(0.02)
    raise TimeoutError("Chromium did not open its DevTools port in 30 s.")


class Chromium:
    """A running browser and its only DevTools connection."""

    def __init__(self, pid: int, socket: ClientConnection) -> None:
        self.pid = pid
        self._socket = socket
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())

    async def open(self, instrument: str = NOTHING) -> Tab:
        """Open a window with a separate profile. The instrument is injected before anything of the page runs."""
        profile = await self.call("Target.createBrowserContext")
        window = await self.call("Target.createTarget", url="about:blank", newWindow=True, **profile)
        attached = await self.call("Target.attachToTarget", flatten=True, **window)
        tab = Tab(self, attached["sessionId"])
        await tab.call("Page.enable")
        await tab.call("Performance.enable")
        if instrument:
            await tab.call("Page.addScriptToEvaluateOnNewDocument", source=instrument)
        return tab

    async def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        number = len(self._answers) + 1
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        await self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        async with asyncio.timeout(60):
            return await answer

    async def at_rest(self) -> None:
        """Wait until the work of each start is done (the menus of its window, half a second of both cores).

        A person does not open a page with a browser that is still starting; its work would be counted as the page's.
        """
        calm, before = 0, machine.tree_seconds(self.pid)
        deadline = time.monotonic() + REST_AT_MOST
        while calm < 3 and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
            now = machine.tree_seconds(self.pid)
            calm, before = (calm + 1 if now - before < 0.01 else 0), now

    def main_thread_seconds(self) -> float:
        """Return the processor time of the main threads of all renderers: one works, spare ones are idle."""
        children = psutil.Process(self.pid).children(recursive=True)
        return sum(machine.main_thread_seconds(child.pid) for child in children if draws_pages(child))

    async def _read(self) -> None:
        with suppress(ConnectionClosed):  # the browser is closing
            async for raw in self._socket:
                self._take(json.loads(raw))

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            answer = self._answers[message["id"]]
            if "error" in message:
                answer.set_exception(RuntimeError(f"Chromium refused: {message['error']}"))
            else:
                answer.set_result(message["result"])


@dataclass
class Tab:
    browser: Chromium
    session: str

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        return await self.browser.call(method, self.session, **params)

    async def evaluate(self, expression: str) -> Any:
        answer = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"The page threw on {expression!r}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    async def go(self, url: str) -> float:
        """Open a page and return the wall clock seconds of the request."""
        asked = time.time()
        await self.call("Page.navigate", url=url)
        return asked

    async def until(self, expression: str, seconds: float = 30) -> Any:
        """Evaluate an expression in the page several times a second until it is true."""
        deadline = time.monotonic() + seconds
        while not (value := await self.evaluate(expression)):
            if time.monotonic() > deadline:
                shown = await self.evaluate("document.body?.innerText.slice(-400)")
                raise TimeoutError(f"After {seconds} s the page still does not say {expression}. It ends: {shown!r}")
            await asyncio.sleep(0.1)
        return value

    async def ready_to_type(self) -> None:
        """Wait for the composer, then for a page at rest (the composer appears earlier), and focus the composer."""
        await self.until("!!document.querySelector('textarea:enabled')?.getClientRects().length")
        await asyncio.sleep(1)
        await self.browser.at_rest()
        await self.evaluate("document.querySelector('textarea:enabled').focus()")

    async def type_and_send(self, text: str) -> None:
        await self.call("Input.insertText", text=text)
        await asyncio.sleep(0.2)
        enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        await self.call("Input.dispatchKeyEvent", type="keyDown", text="\r", **enter)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **enter)

    async def marks(self) -> dict[int, float]:
        marks: dict[str, float] = await self.evaluate("__bench.marks")
        return {int(index): shown / 1000 for index, shown in marks.items()}

    async def forget_marks(self) -> None:
        """Record the markers of the next reply from zero. Text that is already in the document is not read again."""
        await self.evaluate("for (const index in __bench.marks) delete __bench.marks[index]")

    async def task_seconds(self) -> float:
        """Return the time of the page's main thread in tasks, by Chromium's count (including waits for a core)."""
        metrics = (await self.call("Performance.getMetrics"))["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
