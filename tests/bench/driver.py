"""A real Chromium over its DevTools protocol, opened fresh for each measurement, and the same for app and floor.

Not Playwright: that keeps the Network domain on in every page, so the renderer's main thread reports each frame it
gets, and a node process decodes it: a cost that falls on one push a chunk (the floor) and not on few large ones.
Here a page carries only the instruments its measurement needs: none at all while its main thread is measured.

    async with chromium() as browser:
        tab = await browser.open(LAG)
        await tab.go(url)
        await tab.type_and_send("hello")
        await tab.marks()          # {chunk index: wall clock seconds at which it stood in the DOM}
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

from tests.bench import machine

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
# When did which marker first stand in the DOM? A text that grows is read only from where it was read last.
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
# From when on can one type? From the first moment a text area takes text and keeps it (the caller checks that).
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

# How many milliseconds after what a person does is its result in the DOM? Each act is done once with either result.
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
    """When did this text first stand in the DOM, and when was the frame after it drawn?"""
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
    """One browser process tree with an empty profile, ended and wiped on exit."""
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
    """Whether it is a renderer. One that has ended is none, also while nobody took note of that (a zombie)."""
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
    """A running browser and the one connection to its DevTools."""

    def __init__(self, pid: int, socket: ClientConnection) -> None:
        self.pid = pid
        self._socket = socket
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())

    async def open(self, instrument: str = NOTHING) -> Tab:
        """A window with a profile of its own; the instrument is injected before anything of the page runs."""
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
        """Wait until it has done what each start brings (the menus of its own window, half a second of both cores).

        Nobody opens a page with a browser that is still starting; what it does then would be counted as the page's.
        """
        calm, before = 0, machine.tree_seconds(self.pid)
        deadline = time.monotonic() + REST_AT_MOST
        while calm < 3 and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
            now = machine.tree_seconds(self.pid)
            calm, before = (calm + 1 if now - before < 0.01 else 0), now

    def main_thread_seconds(self) -> float:
        """Processor time of the main threads of all renderers: one works, spare ones idle."""
        children = psutil.Process(self.pid).children(recursive=True)
        return sum(machine.main_thread_seconds(child.pid) for child in children if draws_pages(child))

    async def _read(self) -> None:
        with suppress(ConnectionClosed):  # the browser is being closed
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
        """Open a page; returns when that was asked for, in wall clock seconds."""
        asked = time.time()
        await self.call("Page.navigate", url=url)
        return asked

    async def until(self, expression: str, seconds: float = 30) -> Any:
        """Ask the page, a few times a second, until it says yes."""
        deadline = time.monotonic() + seconds
        while not (value := await self.evaluate(expression)):
            if time.monotonic() > deadline:
                shown = await self.evaluate("document.body?.innerText.slice(-400)")
                raise TimeoutError(f"After {seconds} s the page still does not say {expression}. It ends: {shown!r}")
            await asyncio.sleep(0.1)
        return value

    async def ready_to_type(self) -> None:
        """Wait for the composer, let the page come to rest (a composer is there before all else is), and focus it."""
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
        """Have the next reply's markers be noted anew. What stands in the document already is not read again."""
        await self.evaluate("for (const index in __bench.marks) delete __bench.marks[index]")

    async def task_seconds(self) -> float:
        """Time the page's main thread spent in tasks so far, as Chromium counts it (waits for a core included)."""
        metrics = (await self.call("Performance.getMetrics"))["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
