"""The offline provider: it describes itself, obeys its commands, and always gives the same replies."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Image, Text, Thinking, ToolCall, plain_text
from app.domain.errors import ErrorClass
from app.domain.request.request import RequestMessage
from app.domain.stream.stream_events import Stopped, StopReason
from app.providers.offline import script
from app.providers.offline.derived import leave_out_files
from app.providers.offline.script import HELP, long_text, split_tokens, write_script
from app.providers.wire.transport import Transport
from tests.moved_loop import seconds_of
from tests.providers.playing import Told, a_provider, a_request, ask, ask_offline

FAST = "/rate 0\n"


def text_of(told: Told) -> str:
    return plain_text(told.parts)


async def test_it_says_plainly_what_it_is() -> None:
    told = await ask_offline("Who are you?")

    assert "not* a language model" in text_of(told)
    assert "> Who are you?" in text_of(told)
    assert "Settings → Providers" in text_of(told)


async def test_it_shows_what_a_reply_can_look_like() -> None:
    text = text_of(await ask_offline(FAST + "Show me"))

    for sign in ("```python", "| --- |", "$$", "**", "1. ", "## "):
        assert sign in text.replace("|---|---|", "| --- |")


async def test_it_answers_the_same_every_time() -> None:
    first, second = [await ask_offline(f"{FAST}/think 30\nTell me") for _ in range(2)]

    assert first == second


async def test_help_lists_every_command_and_every_listed_command_works() -> None:
    told = await ask_offline(FAST + "/help")

    assert text_of(told) == HELP
    commands = {line.split("`")[1].split()[0] for line in HELP.splitlines() if line.startswith("| `/")}
    assert commands >= {"/help", "/echo", "/long", "/think", "/tool", "/rate", "/slow", "/wait", "/fail", "/cut"}
    for command in commands - {"/fail", "/stop", "/tool"}:
        assert "There is no command" not in write_script(command, 1).text


@pytest.mark.parametrize("tokens", [1, 7, 500, 3000])
async def test_long_answers_have_exactly_the_given_number_of_tokens(tokens: int) -> None:
    told = await ask_offline(f"/long {tokens} /rate 0")

    assert told.usage is not None
    assert told.usage.output_tokens == tokens
    assert len(split_tokens(text_of(told))) == tokens


async def test_echo_answers_character_for_character() -> None:
    words = "  two  blanks\n\n\ttab, 🌍 and /fail rate\nlast line  "

    assert text_of(await ask_offline(f"{FAST}/echo {words}")) == words


async def test_commands_before_one_that_takes_the_rest_of_its_line_hold() -> None:
    script = write_script("/think 5 /rate 0 /echo said after /slow\nand on", 1)

    assert (script.text, script.rate, script.thinking) == ("said after /slow\nand on", 0, long_text(5))
    called = write_script('/slow /tool clock {"say": "/echo no"}\n/wait 2 /tool clock', 1)
    assert called.tools == (("clock", '{"say": "/echo no"}'), ("clock", "{}"))
    assert (called.rate, called.delay) == (5, 2)
    assert write_script("/rate 0 /then /echo no", 1).text.startswith("There is no command")
    assert write_script("/slow /echo first\n/then\nlast", 1).text == "first\n/then\nlast"


async def test_thinking_comes_first_and_is_signed() -> None:
    told = await ask_offline(f"{FAST}/think 12\nWell?")

    thinking, text = told.parts
    assert isinstance(thinking, Thinking)
    assert thinking.vendor == "offline"
    assert thinking.signature
    assert isinstance(text, Text)


async def test_tools_are_called_as_commanded() -> None:
    told = await ask_offline(f'{FAST}/tool clock {{"zone": "UTC"}}')

    assert told.parts == (ToolCall("call_1", "clock", '{"zone": "UTC"}', complete=True),)
    assert told.stopped == Stopped(StopReason.TOOL_CALLS)


@pytest.mark.parametrize("reason", list(StopReason))
async def test_it_stops_for_the_reason_commanded(reason: StopReason) -> None:
    assert (await ask_offline(f"/rate 0 /stop {reason}")).stopped == Stopped(reason)


@pytest.mark.parametrize("error_class", ["auth", "rate", "network", "server", "overloaded", "model", "stream"])
async def test_it_fails_at_once_as_commanded(error_class: str) -> None:
    told = await ask_offline(f"/fail {error_class} retry-after 3")

    assert told.events == ()
    assert told.fault is not None
    assert told.fault.error_class == error_class
    assert told.fault.retry_after == 3


async def test_it_fails_after_the_given_number_of_tokens() -> None:
    told = await ask_offline("/rate 0 /fail server after 5")

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.SERVER
    assert len(split_tokens(text_of(told))) == 5


async def test_it_fails_the_given_number_of_times_and_then_answers() -> None:
    transport = Transport()
    request = a_request("/rate 0 /fail overloaded times 2\n/long 3")

    faults = [(await ask(transport, a_provider("offline"), request)).fault for _ in range(6)]

    assert [fault is None for fault in faults] == [False, False, True, False, False, True]


async def test_it_cuts_the_reply() -> None:
    told = await ask_offline("/rate 0 /cut after 4")

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert len(split_tokens(text_of(told))) == 4


async def test_it_stalls_until_the_time_out() -> None:
    told = await ask_offline("/rate 0 /stall after 4", read=0.1)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK
    assert "sent nothing for 0.1 seconds" in told.fault.message
    assert len(split_tokens(text_of(told))) == 4


def test_it_waits_before_the_first_token() -> None:
    assert seconds_of(lambda: ask_offline("/wait 10 /rate 0 /long 1")) == 10


async def test_waiting_longer_than_the_time_out_is_a_time_out() -> None:
    told = await ask_offline("/wait 60", read=0.1)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK


def test_it_keeps_the_rate() -> None:
    assert seconds_of(lambda: ask_offline("/long 201 /rate 20")) == pytest.approx(10)


async def test_at_full_speed_it_lets_others_run() -> None:
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count_turns())
    await ask_offline("/long 500 /rate 0")
    counting.cancel()

    assert turns > 100


async def test_a_limit_on_the_reply_is_kept() -> None:
    transport = Transport()
    request = replace(a_request("/long 100 /rate 0"), parameters=Parameters(max_output_tokens=10))

    told = await ask(transport, a_provider("offline"), request)

    assert told.stopped == Stopped(StopReason.MAX_TOKENS)
    assert told.usage is not None
    assert told.usage.output_tokens == 10


async def test_a_request_larger_than_the_tiny_window_is_refused() -> None:
    told = await ask(Transport(), a_provider("offline"), a_request("word " * 3_000, model="offline:tiny"))

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.CONTEXT_LENGTH


async def test_a_model_it_does_not_have_is_refused() -> None:
    told = await ask(Transport(), a_provider("offline"), a_request("Hi", model="offline:gpt-9"))

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.MODEL
    assert "demo and tiny" in told.fault.message


@pytest.mark.parametrize(
    "line", ["/nothing", "/long many", "/long 1 2", "/fail", "/fail nobody", "/cut 5", "/stop now", "/rate -1", "/tool"]
)
async def test_an_unknown_command_is_answered_with_help(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "DEFAULT_RATE", 0.0)

    told = await ask_offline(line)

    assert told.fault is None
    assert HELP in text_of(told)


async def test_only_the_last_message_commands() -> None:
    told = await ask(Transport(), a_provider("offline"), a_request("/fail auth", "Ok", FAST + "And now?"))

    assert told.fault is None
    assert "3 messages" in text_of(told)


async def test_pictures_are_taken() -> None:
    request = replace(a_request(), messages=(RequestMessage("user", (Text(FAST + "Look"), Image("x", "image/png"))),))

    assert (await ask(Transport(), a_provider("offline"), request)).fault is None


@given(text=st.text())
def test_tokens_joined_are_the_text(text: str) -> None:
    assert "".join(split_tokens(text)) == text


@given(prompt=st.text() | st.text(st.sampled_from("/ \nfailstop0123 after")))
def test_any_prompt_gets_a_script(prompt: str) -> None:
    script = write_script(prompt, 1)

    assert script.text or script.tools


def test_a_long_text_begins_as_a_shorter_one() -> None:
    assert long_text(300).startswith(long_text(100))


async def test_no_sdk_is_imported_for_it() -> None:
    probe = (
        "import asyncio, sys\n"
        "from tests.providers.playing import ask_offline\n"
        "asyncio.run(ask_offline('/long 3 /rate 0'))\n"
        "print([name for name in ('openai', 'anthropic', 'httpx2', 'genai_prices') if name in sys.modules])"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", probe, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()

    assert output.decode().strip() == "[]"


def test_the_first_token_is_not_held_back() -> None:
    assert seconds_of(lambda: ask_offline("/long 1 /rate 1")) == 0


def test_beginnings_of_files_without_an_end_are_read_once() -> None:
    text = '<file name="a.csv">\nx\n</file>Why?' + '<file name="a">\n' * 20_000
    began = time.perf_counter()

    assert leave_out_files(text).startswith("\nWhy?<file")

    assert time.perf_counter() - began < 2  # 20,000 readings to the end take a minute
