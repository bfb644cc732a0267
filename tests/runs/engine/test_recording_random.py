"""Whatever a person does what was recorded of a call stays as it was, or says that words are gone."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random

from sqlalchemy import select

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import ConflictError, LaterPairsError
from app.runs.library.mark_commands import mark_pairs
from app.runs.library.trash import empty_trash, list_trash, restore
from app.runs.resend.forks import fork_conversation
from app.runs.resend.resend import Later, Replacement, resend_pair
from app.runs.send.commands import LOCAL_OWNER, delete_conversation
from app.runs.send.intents import SendOptions
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.store.run.rows_sent import SENT_CALL
from app.store.run.sent_calls import check_sent_calls, load_sent_call
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import a_conversation, collect, pairs_of, reply_to, settings_of
from tests.seeds import choose_seed

MODEL = "anthropic:claude-sonnet-4-5"
REPLY = Answer((read_recording("anthropic", "text"),))
STEPS = 120
WORDS = ("Another question of some length", "ok", "What about\nthe second line of it?", "yes", "Once more, please.")

Key = tuple[str, int]


@dataclass(eq=False)
class Person:
    """Does anything at all. `forgot`: something was deleted for good since the last look."""

    wb: Workbench
    chance: Random
    talks: list[str] = field(default_factory=list[str])
    did: set[str] = field(default_factory=set[str])
    forgot: bool = False

    async def act(self) -> None:
        acts = (self.send, self.send, self.edit, self.regenerate, self.fork, self.delete, self.bring_back, self.drop)
        act = self.chance.choice((*acts, *acts, self.empty)) if self.talks else self.begin
        try:
            await act()
            self.did.add(act.__name__)
        except (ConflictError, LaterPairsError):
            pass  # a person is told that, and does something else

    async def begin(self) -> None:
        self.talks.append(await a_conversation(self.wb, model=MODEL))

    async def send(self) -> None:
        long = " ".join(self.chance.choice(("kill", "ünï", "日本", "🎈")) for _ in range(self.chance.randrange(2500)))
        await reply_to(self.wb, self.chance.choice(self.talks), f"{self.chance.choice(WORDS)} {long}".strip())

    async def edit(self) -> None:
        await self._again(self.chance.choice(WORDS))

    async def regenerate(self) -> None:
        await self._again(None)

    async def fork(self) -> None:
        talk = self.chance.choice(self.talks)
        shown = await self._shown(talk)
        if shown:
            forked = self.chance.sample(shown, self.chance.randint(1, len(shown)))
            self.talks.append(await fork_conversation(self.wb, LOCAL_OWNER, talk, sorted(forked)))

    async def delete(self) -> None:
        talk = self.chance.choice(self.talks)
        if shown := await self._shown(talk):
            marks = PairMarks(self.chance.choice(shown), Marks(deleted=True))
            await mark_pairs(self.wb, LOCAL_OWNER, talk, [marks])

    async def bring_back(self) -> None:
        trash = await list_trash(self.wb, LOCAL_OWNER, limit=50)
        if trash.entries:
            entry = self.chance.choice(trash.entries)
            await restore(self.wb, LOCAL_OWNER, entry.id)
            if entry.kind == "conversation":
                self.talks.append(entry.id)

    async def drop(self) -> None:
        if len(self.talks) > 2:
            talk = self.talks.pop(self.chance.randrange(len(self.talks)))
            await delete_conversation(self.wb, LOCAL_OWNER, talk)

    async def empty(self) -> None:
        self.forgot = await empty_trash(self.wb, LOCAL_OWNER) > 0

    async def _again(self, words: str | None) -> None:
        talk = self.chance.choice(self.talks)
        shown = await self._shown(talk)
        if not shown:
            return
        later = self.chance.choice(tuple(Later))
        replacement = Replacement(self.chance.choice(shown), text=words, later=later)
        resent = await resend_pair(self.wb, LOCAL_OWNER, replacement, SendOptions())
        await collect(self.wb, resent.started.run_id)
        if resent.conversation_id not in self.talks:
            self.talks.append(resent.conversation_id)

    async def _shown(self, talk: str) -> list[str]:
        return [pair.id for pair in await pairs_of(self.wb, talk)]


async def read_calls(wb: Workbench) -> dict[Key, tuple[str, bytes | None]]:
    """Each recorded call: the hash that was stored of it, and its body as it is put together now."""
    async with wb.store.read() as session:
        keys = (await session.execute(select(SENT_CALL.c.run_id, SENT_CALL.c.number))).all()
        calls = {(run, number): await load_sent_call(session, LOCAL_OWNER, run, number) for run, number in keys}
    return {key: (call.body_sha256, call.body) for key, call in calls.items()}


def compare(before: dict[Key, tuple[str, bytes | None]], now: dict[Key, tuple[str, bytes | None]], peer: Peer) -> None:
    """No call is lost, none has another hash, and what can be read is what the provider got."""
    assert before.keys() <= now.keys()
    assert sorted(digest for digest, _ in now.values()) == sorted(sha256(one.body).hexdigest() for one in peer.heard)
    for key, (digest, body) in now.items():
        assert body is None or sha256(body).hexdigest() == digest
        assert key not in before or before[key][0] == digest


async def test_no_action_changes_what_was_recorded_of_a_call(data: Path) -> None:
    async with a_peer(REPLY) as peer:
        settings = settings_of(data, ANTHROPIC_BASE_URL=f"{peer.url}/v1", ANTHROPIC_API_KEY="sk-test")
        async with open_workbench(settings) as wb:
            person = Person(wb, Random(choose_seed("RECORD_SEED")))
            before: dict[Key, tuple[str, bytes | None]] = {}
            forgotten = 0
            for _ in range(STEPS):
                await person.act()
                now = await read_calls(wb)
                compare(before, now, peer)
                gone = {key for key, (_, body) in before.items() if body is not None and now[key][1] is None}
                assert not gone or person.forgot
                async with wb.store.read() as session:
                    checked = await check_sent_calls(session)
                readable = sum(body is not None for _, body in now.values())
                assert (checked.count, checked.faults) == (readable, ())
                before, forgotten, person.forgot = now, forgotten + len(gone), False

    assert len(before) > 20
    assert forgotten
    assert person.did == {"begin", "send", "edit", "regenerate", "fork", "delete", "bring_back", "drop", "empty"}
