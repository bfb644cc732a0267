"""The instruments are correct. No times are asserted: figures belong to the benchmark, not to CI."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import orjson
import psutil
import pytest
import pytest_asyncio
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from tests.bench.__main__ import FIGURES_BEGIN, write_down
from tests.bench.growth.__main__ import Row
from tests.bench.instruments import driver
from tests.bench.instruments.clients import Arrival, lags, watch_replies
from tests.bench.instruments.machine import Spent, proportional_megabytes
from tests.bench.instruments.relay import Relay
from tests.bench.report import Report
from tests.bench.servers.floor import sdk_stream, stored_messages
from tests.bench.servers.script import Script, end_of_stored, script_of, stored_pair, warm_up
from tests.bench.servers.stub import WARM_UP
from tests.bench.servers.targets import App, Floor, Process, Stub, app_environment, start_floor, start_stub
from tests.serving import free_port

pytestmark = pytest.mark.exhaustive

SHORT = script_of("t60-r0")

needs_chromium = pytest.mark.skipif(not Path(driver.CHROMIUM).exists(), reason="no Chromium on this machine")


@pytest_asyncio.fixture
async def stub() -> AsyncGenerator[Stub]:
    stub = await start_stub(free_port())
    yield stub
    await stub.process.stop()


@pytest_asyncio.fixture(params=["raw", "sdk"])
async def floor(request: pytest.FixtureRequest, stub: Stub) -> AsyncGenerator[Floor]:
    floor = await start_floor(request.param, stub, free_port())
    yield floor
    await floor.process.stop()


@pytest.mark.parametrize("tokens", [2, 7, 500, 2000])
def test_script_has_the_tokens_asked_for_and_closes_its_fences(tokens: int) -> None:
    script = script_of(f"t{tokens}-r0")

    assert script.tokens == tokens
    assert script.marks[0] == 0
    assert script.marks[-1] == script.last_mark == tokens - 1
    assert list(script.marks) == sorted(set(script.marks))
    assert all(f"mk{mark}x" in script.chunks[mark] for mark in script.marks)
    assert script.text.count("```") % 2 == 0


def test_a_renderer_that_has_just_ended_no_longer_counts() -> None:
    ended = subprocess.Popen(["true"])  # no process has read its exit status yet
    process = psutil.Process(ended.pid)
    while process.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)

    assert not driver.draws_pages(process)
    ended.wait()
    assert not driver.draws_pages(process)


def test_stored_pairs_are_distinguished_by_their_last_words() -> None:
    texts = [stored_pair(index)[1] for index in range(200)]

    assert all(text.endswith(end_of_stored(index)) for index, text in enumerate(texts))
    assert not any("mk" in text for text in texts)
    assert 900 < sum(map(len, texts)) / 200 < 1500


async def test_stub_says_its_script_through_both_sdks_and_remembers_what_it_got(stub: Stub) -> None:
    openai = AsyncOpenAI(base_url=stub.base_url, api_key="none")
    anthropic = AsyncAnthropic(base_url=stub.base_url.removesuffix("/v1"), api_key="none")

    said = ""
    stream = await openai.chat.completions.create(
        model=SHORT.model,
        messages=[{"role": "user", "content": "first"}, {"role": "user", "content": "to openai"}],
        stream=True,
    )
    async for chunk in stream:
        said += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    prompt = "to anthropic"
    async with anthropic.messages.stream(
        model=SHORT.model, max_tokens=99, messages=[{"role": "user", "content": prompt}]
    ) as messages:
        also_said = await messages.get_final_text()
    call = await stub.call("to openai")

    assert said == also_said == SHORT.text
    assert (call.model, call.messages, len(call.sent), call.cut) == (SHORT.model, 2, 60, False)
    assert call.arrived <= call.sent[0] <= call.sent[-1] <= call.finished
    await openai.close()
    await anthropic.close()


async def test_stub_thinks_as_long_as_its_model_says(stub: Stub) -> None:
    async with AsyncOpenAI(base_url=stub.base_url, api_key="none") as client:
        said = [text async for text in sdk_stream(client)("t5-r0-w400", [{"role": "user", "content": "why"}])]

    call = await stub.call("why")
    assert "".join(said) == script_of("t5-r0").text
    assert call.sent[0] - call.arrived >= 0.4


@pytest.mark.parametrize("pairs", [1, 100])
async def test_stub_answers_a_warm_up_without_markers_and_what_follows_it_with_them(stub: Stub, pairs: int) -> None:
    history = list(stored_messages(pairs))
    said: list[str] = []

    async with AsyncOpenAI(base_url=stub.base_url, api_key="none") as client:
        for prompt in (f"{WARM_UP} 1", "now"):
            history.append({"role": "user", "content": prompt})
            said.append("".join([text async for text in sdk_stream(client)(SHORT.model, history)]))

    assert said == [warm_up().text, SHORT.text]
    assert "mk" not in said[0]


async def test_floor_relays_each_chunk_of_the_reply(floor: Floor, stub: Stub) -> None:
    arrivals = await watch_replies([await floor.watch(SHORT.model)] * 3, SHORT, ["one", "two", "three"])

    for key, arrived in arrivals.items():
        assert arrived[-1].characters == len(SHORT.text)
        assert len(arrived) == SHORT.tokens
        assert all(lag >= 0 for lag in lags(SHORT, (await stub.call(key)).sent, arrived))


async def test_a_page_without_a_browser_gets_every_character_of_each_reply(stub: Stub, tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "tests.bench.servers.without_page", str(port)]
    process = Process(command, app_environment(stub.base_url, tmp_path, port))
    try:
        await process.answers(f"http://127.0.0.1:{port}/api/v1/health")
        app = App(process, f"127.0.0.1:{port}")
        arrivals = await watch_replies([await app.watch(SHORT.model) for _ in range(3)], SHORT, ["one", "two", "three"])
    finally:
        await process.stop()

    for key, arrived in arrivals.items():
        assert arrived[-1].characters == len(SHORT.text)
        assert all(lag >= 0 for lag in lags(SHORT, (await stub.call(key)).sent, arrived))


@needs_chromium
@pytest.mark.browser
async def test_browser_sees_every_marker_after_it_was_sent_and_counts_every_byte(floor: Floor, stub: Stub) -> None:
    async with Relay(floor.address) as relay, driver.chromium() as browser:
        tab = await browser.open(driver.LAG)
        await tab.go(relay.through(await floor.page(SHORT.model, pairs=3)))
        await tab.ready_to_type()
        before = relay.bytes
        await tab.type_and_send("hello")
        call = await stub.call("hello")
        await tab.until(f"document.body.innerText.includes('mk{SHORT.last_mark}x')")
        shown, passed = await tab.marks(), relay.bytes - before

    assert call.messages == 7
    assert set(shown) == set(SHORT.marks)
    assert all(shown[mark] >= call.sent[mark] for mark in shown)
    assert passed == len(SHORT.text) + 2 * SHORT.tokens + len("hello") + 6  # with the headers of frames


def test_lag_of_a_chunk_ends_when_its_last_character_came() -> None:
    script = Script("any", 0, ("ab", "cde", "f"))
    arrivals = [Arrival(10.0, 2), Arrival(10.5, 4), Arrival(11.0, 6)]

    assert lags(script, [9.0, 9.5, 10.0], arrivals) == [1.0, 1.5, 1.0]


def test_limits_follow_the_floors_of_the_same_run() -> None:
    report = Report()
    for value in (0.30, 0.20, 9.0):
        report.add("a.cpu", "app", value)
    report.add("a.cpu", "sdk", 0.4)
    report.add("a.last", "app", 51)
    report.add("c.open10", "app", 300)

    assert report.limit("a.cpu") == pytest.approx(0.28)
    assert report.met("a.cpu") is False
    assert report.met("a.last") is False
    assert report.met("c.open10") is None
    assert "| 2,000 tokens at 100/s: last chunk's lag, ms | 51 |  |  | ≤ 20 | **no** |" in report.table()
    with pytest.raises(KeyError, match="No figure is called"):
        report.add("a.speed", "app", 1)


def test_growth_is_judged_by_factor_and_by_amount_where_a_size_has_a_limit() -> None:
    row = Row("send", "ms", {1_000: 10.0, 50_000: 16.0}, limits={50_000: 1.5}, most={1_000: 20.0, 50_000: 15.0})

    told = row.told()

    assert "10.0 ms (x 1.00), at most 20 ms: met | 16.0 ms (x 1.60, at most 1.5: **missed**), at most 15 ms" in told
    assert told.endswith("15 ms: **missed** |")
    assert Row("send", "ms", {1_000: 10.0}).told() == "| send | 10.0 ms (x 1.00) |"


def test_spent_counts_the_processor_time_of_a_tree() -> None:
    with Spent(os.getpid()) as spent:
        orjson.loads(orjson.dumps(list(range(2_000_000))))

    assert 0.005 < spent.seconds < 10
    assert proportional_megabytes(os.getpid()) > 10


def test_a_child_process_that_has_ended_has_no_memory() -> None:
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it stays listed until the end of this block

        assert proportional_megabytes(child.pid) == 0


def test_a_run_written_down_replaces_the_one_before_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "bench.md"
    page.write_text("# By hand\n")

    write_down("first", page)
    write_down("second", page)

    assert page.read_text() == f"# By hand\n\n{FIGURES_BEGIN}\n\nsecond\n"
