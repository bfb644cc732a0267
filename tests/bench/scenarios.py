"""The measurements. Each is the same for app and floors: same browser, same keys, same instruments, same windows.

The letters of the scenarios are those of `report.FIGURES`. A page has no instrument while its main thread is measured;
the observer while its lag is measured; and a relay only while its bytes are counted.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from statistics import quantiles

from websockets.asyncio.client import connect

from tests.bench.instruments import driver
from tests.bench.instruments.clients import lags, watch_replies
from tests.bench.instruments.driver import Tab
from tests.bench.instruments.machine import Spent, proportional_megabytes
from tests.bench.instruments.reflex_page import TRANSCRIPT, ReflexPage
from tests.bench.instruments.relay import Relay
from tests.bench.report import Report
from tests.bench.servers.script import end_of_stored, model_name, script_of
from tests.bench.servers.stub import WARM_UP, Call
from tests.bench.servers.targets import App, Stub, Target

PACED, FAST, CROWD, NEXT = model_name(2000, 100), model_name(16000, 0), model_name(500, 50), model_name(300, 100)
INSTANT, THINKING = model_name(20, 100), model_name(20, 100, wait=300)
OPEN_PAIRS, OPEN_PAGES = 120, 20
REST = 1.0  # seconds after the stub's last chunk that still count as work for the reply


@dataclass(frozen=True)
class Bench:
    stub: Stub
    targets: list[Target]
    report: Report
    repeat: int

    def add(self, key: str, target: Target, value: float) -> None:
        self.report.add(key, target.name, value)


async def paced(bench: Bench) -> None:
    """(a) 2,000 tokens at 100 per second."""
    for _ in range(bench.repeat):
        for target in bench.targets:
            async with _page(bench, target, PACED, driver.LAG) as tab:
                call, _ = await _reply(bench, target, tab)
                shown = await _lags(tab, call)
                bench.add("a.last", target, shown[max(shown)] * 1000)
                bench.add("a.p95", target, _p95(list(shown.values())) * 1000)
        for target in bench.targets:
            async with _page(bench, target, PACED) as tab:
                spent = await _main_thread(bench, target, tab, "a.main", "a.task")
                bench.add("a.cpu", target, spent.seconds)
    for target in bench.targets:
        async with Relay(target.address) as relay, _page(bench, target, PACED, relay=relay) as tab:
            bench.add("a.wire", target, await _wire_ratio(bench, target, tab, relay))


async def first_words(bench: Bench) -> None:
    """(i) The first chunk of short replies: of a provider that thinks for 0.3 s, and of one that starts at once."""
    for key, model in (("i.first", THINKING), ("i.instant", INSTANT)):
        for target in bench.targets:
            async with _page(bench, target, model, driver.LAG) as tab:
                for _ in range(max(9, bench.repeat)):
                    await tab.forget_marks()
                    call, _ = await _reply(bench, target, tab)
                    bench.add(key, target, ((await tab.marks())[0] - call.sent[0]) * 1000)


async def full_speed(bench: Bench) -> None:
    """(b) 16,000 tokens as fast as they are read."""
    for _ in range(max(3, bench.repeat)):
        for target in bench.targets:
            async with _page(bench, target, FAST, driver.LAG) as tab:
                call, _ = await _reply(bench, target, tab)
                shown = await _lags(tab, call)
                bench.add("b.first", target, shown[0] * 1000)
                bench.add("b.last", target, shown[max(shown)] * 1000)
        for target in bench.targets:
            async with _page(bench, target, FAST, driver.LAG, warm=False) as tab:
                call, _ = await _reply(bench, target, tab)
                bench.add("b.cold", target, (await _lags(tab, call))[0] * 1000)
    for target in bench.targets:
        async with _page(bench, target, FAST) as tab:
            await _main_thread(bench, target, tab, "b.main", None)


async def opening(bench: Bench) -> None:
    """(c) Long stored conversations: open with an empty cache, and send the next prompt."""
    for target in bench.targets:
        if target.name == "app":
            for pairs, suffix in ((1_000, ""), (10_000, "10")):
                await _open(bench, target, pairs, suffix)
        for _ in range(max(3, bench.repeat)):
            # A different conversation each time: markers of an earlier reply must not be on the page.
            async with _page(bench, target, NEXT, driver.LAG, pairs=1_000, warm=False) as tab:
                first, _ = await _reply(bench, target, tab, f"{WARM_UP} {_key()}")
                bench.add("c.first", target, await _reach(tab, first))
                call, _ = await _reply(bench, target, tab)
                bench.add("c.reach", target, await _reach(tab, call))
                shown = await _lags(tab, call)
                bench.add("c.lag", target, shown[max(shown)] * 1000)
        drawn = driver.appears(end_of_stored(999))
        relay = Relay(target.address)
        async with relay, _page(bench, target, PACED, drawn, pairs=1_000, warm=False, relay=relay) as tab:
            # a person can type before the pairs arrive; their bytes do not belong to the reply
            if target.name == "app":
                await tab.until("globalThis.__bench?.drawn")
                await asyncio.sleep(REST)
            bench.add("c.wire", target, await _wire_ratio(bench, target, tab, relay))


async def crowd(bench: Bench) -> None:
    """(d) Fifty clients without a browser, at 50 tokens per second each."""
    script = script_of(CROWD)
    for _ in range(bench.repeat):
        for target in bench.targets:
            watches = [await target.watch(CROWD) for _ in range(50)]
            keys = [_key() for _ in watches]
            with Spent(target.process.pid) as spent:
                arrivals = await watch_replies(watches, script, keys, settle=REST)
                await asyncio.sleep(REST)
            bench.report.foreign.append(spent.foreign)
            found = [lag for key in keys for lag in lags(script, (await bench.stub.call(key)).sent, arrivals[key])]
            bench.add("d.p95", target, _p95(found) * 1000)
            bench.add("d.cpu", target, spent.seconds)


async def browsers(bench: Bench) -> None:
    """(h) Eight browsers, at 50 tokens per second each."""
    for _ in range(bench.repeat):
        for target in bench.targets:
            bench.add("h.one", target, _p95(await _browsers(bench, target, 8, processes=1)) * 1000)
            bench.add("h.eight", target, _p95(await _browsers(bench, target, 8, processes=8)) * 1000)


async def first_visit(bench: Bench) -> None:
    """(e) The first visit of an empty browser to the front page: time until typing is possible, and bytes."""
    for target in bench.targets:
        url = f"http://{target.address}/"
        for _ in range(max(5, bench.repeat)):
            async with driver.chromium() as browser:
                tab = await browser.open(driver.TYPING)
                await browser.at_rest()
                asked = await tab.go(url)
                typing = await tab.until("globalThis.__bench?.typing")
                await asyncio.sleep(1)
                if (kept := await tab.evaluate("document.querySelector('textarea').value")) != "typed":
                    raise RuntimeError(f"{target.name} took 'typed' at once and then made {kept!r} of it.")
                bench.add("e.typing", target, (typing / 1000 - asked) * 1000)
        async with Relay(target.address) as relay, driver.chromium() as browser:
            tab = await browser.open()
            await tab.go(relay.through(url))
            await tab.ready_to_type()
            await asyncio.sleep(2)
            bench.add("e.bytes", target, relay.bytes / 1000)


async def memory(bench: Bench) -> None:
    """(f) Memory of the idle server. Runs first, on a server that has just started."""
    for target in bench.targets:
        await asyncio.sleep(3)
        bench.add("f.pss", target, proportional_megabytes(target.process.pid))
        async with _page(bench, target, NEXT, warm=False) as tab:
            await asyncio.sleep(2)
            bench.add("f.page", target, proportional_megabytes(target.process.pid))
            await _reply(bench, target, tab)
            bench.add("f.reply", target, proportional_megabytes(target.process.pid))


async def open_pages(bench: Bench) -> None:
    """(k) Memory of the server for each open page that shows its whole window."""
    for target in bench.targets:
        if not isinstance(target, App):
            continue
        path = f"/c/{await target.conversation(PACED, OPEN_PAIRS)}"
        async with AsyncExitStack() as stack:
            await _open_whole(target, path, stack)  # the first page loads things that later pages share
            before = proportional_megabytes(target.process.pid)
            for _ in range(OPEN_PAGES):
                await _open_whole(target, path, stack)
            await asyncio.sleep(REST)
            bench.add("f.open", target, (proportional_megabytes(target.process.pid) - before) / OPEN_PAGES)


async def acts(bench: Bench) -> None:
    """(l) Actions of a person in a conversation of 1,000 pairs: from the event in the browser to the DOM."""
    for target in bench.targets:
        if not isinstance(target, App):
            continue
        async with _page(bench, target, NEXT, driver.ACTS, pairs=1_000, warm=False) as tab:
            await tab.evaluate("__bench.dialog()")  # the first dialog loads its part of the page
            await tab.evaluate("__bench.close()")
            with Spent(target.process.pid) as spent:
                for _ in range(max(9, bench.repeat)):
                    for act in ("star", "dialog", "filter"):
                        await asyncio.sleep(0.3)
                        bench.add(f"l.{act}", target, await tab.evaluate(f"__bench.{act}()"))
                        await tab.evaluate("__bench.close()")
            bench.report.foreign.append(spent.foreign)


async def _open_whole(target: App, path: str, stack: AsyncExitStack) -> None:
    """Open a page and go back to the first pair."""
    page = ReflexPage(path)
    socket = await stack.enter_async_context(connect(page.url(target.address), compression="deflate", max_size=None))
    async with asyncio.timeout(60):
        await page.open(socket)
        while page.shown(TRANSCRIPT, "earlier"):
            known = len(page.shown(TRANSCRIPT, "pairs"))
            await page.emit(socket, f"{TRANSCRIPT}.show_earlier")
            while len(page.shown(TRANSCRIPT, "pairs")) == known:
                await page.read(socket)
    if (count := len(page.shown(TRANSCRIPT, "pairs"))) != OPEN_PAIRS:
        raise RuntimeError(f"The page holds {count} pairs, not {OPEN_PAIRS}.")


async def _open(bench: Bench, target: Target, pairs: int, suffix: str) -> None:
    url, newest = await target.page(NEXT, pairs), end_of_stored(pairs - 1)
    for _ in range(max(5, bench.repeat)):
        async with driver.chromium() as browser:
            tab = await browser.open(driver.appears(newest))
            await browser.at_rest()
            asked = await tab.go(url)
            drawn = await tab.until("globalThis.__bench?.drawn")
            bench.add(f"c.open{suffix}", target, (drawn / 1000 - asked) * 1000)
    async with Relay(target.address) as relay, driver.chromium() as browser:
        tab = await browser.open(driver.appears(newest))
        await tab.go(relay.through(url))
        await tab.until("globalThis.__bench?.drawn")
        await asyncio.sleep(2)
        bench.add(f"c.bytes{suffix}", target, relay.bytes / 1000)


async def _browsers(bench: Bench, target: Target, count: int, processes: int) -> list[float]:
    """Return the lags of all marked chunks in `count` windows that stream at the same time, each with its renderer.

    They belong to `processes` Chromiums. Eight Chromiums fill two cores, whatever they show: compare the floor's lag.
    """
    async with AsyncExitStack() as stack:
        browsers = [await stack.enter_async_context(driver.chromium()) for _ in range(processes)]
        tabs: list[Tab] = []
        for number in range(count):
            tabs.append(await browsers[number % processes].open(driver.LAG))
            await tabs[-1].go(await target.page(CROWD))
            await tabs[-1].ready_to_type()
        keys = [_key() for _ in tabs]
        with Spent(target.process.pid) as spent:
            for tab, key in zip(tabs, keys, strict=True):
                await tab.type_and_send(key)
            calls = [await bench.stub.call(key) for key in keys]
            await asyncio.sleep(REST)
        bench.report.foreign.append(spent.foreign)
        return [lag for tab, call in zip(tabs, calls, strict=True) for lag in (await _lags(tab, call)).values()]


@asynccontextmanager
async def _page(
    bench: Bench, target: Target, model: str, instrument: str = driver.NOTHING, *,
    pairs: int = 0, warm: bool = True, relay: Relay | None = None,
) -> AsyncGenerator[Tab]:  # fmt: skip
    """Open a new browser on the target's page and focus the composer. `warm`: send one short unmarked prompt first.

    All traffic of the page passes through the `relay`, if there is one.
    """
    async with driver.chromium() as browser:
        tab = await browser.open(instrument)
        url = await target.page(model, pairs)
        await tab.go(url if relay is None else relay.through(url))
        await tab.ready_to_type()
        if warm:
            await _reply(bench, target, tab, f"{WARM_UP} {_key()}")
        yield tab


async def _reply(bench: Bench, target: Target, tab: Tab, key: str = "") -> tuple[Call, Spent]:
    """Type a prompt, send it, and wait until the stub has sent everything and the page had time to show it."""
    key = key or _key()
    with Spent(target.process.pid) as spent:
        await tab.type_and_send(key)
        call = await bench.stub.call(key)
        await asyncio.sleep(REST)
    bench.report.foreign.append(spent.foreign)
    return call, spent


async def _main_thread(bench: Bench, target: Target, tab: Tab, cpu: str, task: str | None) -> Spent:
    tasks, seconds = await tab.task_seconds(), tab.browser.main_thread_seconds()
    call, spent = await _reply(bench, target, tab)
    bench.add(cpu, target, tab.browser.main_thread_seconds() - seconds)
    if task is not None:
        bench.add(task, target, await tab.task_seconds() - tasks)
    await _all_shown(tab, call)
    return spent


async def _reach(tab: Tab, call: Call) -> float:
    """Return the milliseconds from the Enter key until the provider has read the whole request with all pairs."""
    if call.messages < 2_001:
        raise RuntimeError(f"The provider got {call.messages} messages, not 1,000 pairs and a prompt.")
    return (call.arrived - await tab.evaluate("__bench.enter") / 1000) * 1000


async def _wire_ratio(bench: Bench, target: Target, tab: Tab, relay: Relay) -> float:
    before = relay.bytes
    call, _ = await _reply(bench, target, tab)
    await _all_shown(tab, call)
    return (relay.bytes - before) / len(script_of(call.model).text.encode())


async def _lags(tab: Tab, call: Call) -> dict[int, float]:
    """Return the seconds from the send of each marked chunk to its appearance in the DOM. Requires every marker."""
    await _all_shown(tab, call)
    shown = await tab.marks()
    script = script_of(call.model)
    missing = set(script.marks) - shown.keys()
    found = {index: at - call.sent[index] for index, at in shown.items()}
    if missing or min(found.values()) < 0:
        raise RuntimeError(f"Markers never seen: {sorted(missing)[:9]}; earliest lag: {min(found.values()):.4f} s.")
    return found


async def _all_shown(tab: Tab, call: Call) -> None:
    await tab.until(f"document.body.innerText.includes('mk{script_of(call.model).last_mark}x')")


def _key() -> str:
    return uuid.uuid4().hex[:12]


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]
