"""An MCP server that is a program, against every possible output: a clear error, within limits."""

from __future__ import annotations

import pytest

from app.domain.tools.tools import ToolFailedError, ToolFault
from tests.outside.memory import Memory
from tests.tools.servers import a_session, ask, script

ATTACKS = {
    "lines without end": ("sys.stdout.buffer.write(b'x\\n' * 100_000)", "sent more than"),
    "empty lines without end": ("sys.stdout.buffer.write(b'\\n' * 100_000)", "sent more than"),
    "a line without end": ("sys.stdout.buffer.write(b'x' * 100_000)", "sent a line of more than 11 MB"),
    "errors without end": ("sys.stderr.buffer.write(b'x\\n' * 100_000)", "to its standard error"),
    "notifications without end": ("print(NOTE * 1_000)", "sent more than"),
    "requests without end": ("print(PING * 1_000)", "sent more than 1,000 requests within 60 seconds"),
    "wide": ('print(\'{"jsonrpc":"2.0","id":1,"result":[%s[]]}\' % (\'[],\' * 2_600_000))', "100,000 values"),
    "deep": ('print(\'{"jsonrpc":"2.0","id":1,"result":%s\' % (\'[\' * 200_000))', "100,000 values"),
}
GATE = {"lines without end", "a line without end", "wide", "deep", "requests without end"}
NOTE = """
SAID = {"level": "info", "data": "x"}
NOTE = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": SAID}) + "\\n"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\\n"
def act(asked):
    while True:
"""
MOST_MB = 64
"""Additional memory for reading."""


@pytest.mark.parametrize(
    "attack", [pytest.param(name, marks=() if name in GATE else pytest.mark.exhaustive) for name in ATTACKS]
)
async def test_a_program_that_writes_too_much_is_ended_with_clear_words(attack: str) -> None:
    act, words = ATTACKS[attack]
    async with a_session(script(f"{NOTE}        {act}\ngreet()\nserve(act)")) as session:
        await session.settle(30)
        memory = Memory.now()
        with pytest.raises(ToolFailedError, match=words) as raised:
            await ask(session, "act", seconds=60)
        growth = memory.growth()

    assert raised.value.fault is ToolFault.DIED
    assert raised.value.next_step
    assert growth <= MOST_MB


async def test_an_answer_of_many_parts_that_are_none_is_refused_within_bounds() -> None:
    parts = 'write({"id": asked["id"], "result": {"content": [{"type": "none"}] * 40_000}})'
    async with a_session(script(f"greet()\nserve(lambda asked: {parts})")) as session:
        await session.settle(30)
        memory = Memory.now()
        with pytest.raises(ToolFailedError, match="returned an invalid response") as raised:
            await ask(session, "act", seconds=60)
        growth = memory.growth()

    assert raised.value.fault is ToolFault.PROTOCOL
    assert growth <= MOST_MB
