"""The first moments of a page: it was opened, and a person changes the next send before the page follows its pairs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast

import pytest

from app.domain.conversation.parts import TextFile
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file, load_attached
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.composer.attachments import AttachmentState
from app.state.composer.parameters import ParametersState
from app.state.composer.schema import SchemaState
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.tab import tab_watchers
from app.state.tab.tab_watchers import Moment, moments
from app.state.transcript import transcript
from app.state.transcript.transcript import TranscriptState
from tests.runs.clock import HANG_SECONDS
from tests.runs.steps import reply_to
from tests.runs.watch.page import text_of
from tests.state.conftest import Tab
from tests.state.watched import running
from tests.waiting import until

OBJECT: Final = '{"type":"object"}'
MODELS: Final = ("offline:echo", "offline:tiny")


@dataclass
class Start:
    """The start of the handler that follows the pairs. It waits for `goes_on` after it has set `waits`."""

    waits: asyncio.Event = field(default_factory=asyncio.Event)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Start:
    made, follow = Start(), cast("Any", TranscriptState)._follow

    async def follow_later(*of: Any) -> bool:
        made.waits.set()
        await made.goes_on.wait()
        is_gone: bool = await follow(*of)
        return is_gone

    monkeypatch.setattr(TranscriptState, "_follow", follow_later)
    return made


@pytest.fixture
async def conversation_id(ctx: AppContext, tab: Tab) -> str:
    """Show the address of a conversation with two pairs in the tab."""
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, made.id, "/echo one")
    await reply_to(ctx, made.id, "/echo two")
    tab.path = f"/c/{made.id}"
    await tab.send(ModelState.load)
    return made.id


@asynccontextmanager
async def opened(tab: Tab, start: Start) -> AsyncGenerator[None]:
    """Open the page. The block begins before the page follows its pairs."""
    async with running(tab, TranscriptState.open):
        await asyncio.wait_for(start.waits.wait(), HANG_SECONDS)
        yield


async def first_moment(tab: Tab, conversation_id: str) -> Moment:
    async for moment in moments(tab.token, conversation_id):
        return moment
    raise AssertionError("the tab does not follow the conversation")


async def arrive(ctx: AppContext, tab: Tab, key: str, text: str) -> str:
    """Attach a text file to the draft, as the browser does. Return the id of its upload."""
    upload = await attach_file(ctx, LOCAL_OWNER, text.encode(), f"{key}.txt")
    await tab.send(AttachmentState.begin, key=key, name=f"{key}.txt", length=len(text))
    await tab.send(AttachmentState.finish, key=key, status=201, body=json.dumps({"upload_id": upload.id}))
    return upload.id


async def write(tab: Tab) -> None:
    await tab.send(ComposerState.write, draft="Hello", typed=True, edition=7)


async def restore(tab: Tab) -> None:
    await tab.send(ComposerState.restore, draft="Hello", schema=OBJECT, files="", edition=7, restore_id=1)


async def set_schema(tab: Tab) -> None:
    await tab.send(SchemaState.ask)
    await tab.send(SchemaState.use, form={"schema": OBJECT})


async def set_parameters(tab: Tab) -> None:
    await tab.send(ParametersState.ask)
    await tab.send(ParametersState.choose_scope, scope="send")
    await tab.send(ParametersState.use, form={"scope": "send", "seed": "8"})


async def choose_models(tab: Tab) -> None:
    await tab.send(ComposerState.compare_next, models=list(MODELS))


def draft_of(moment: Moment) -> object:
    return moment.draft, moment.edition, moment.screen.edition


def schema_of(moment: Moment) -> object:
    return json.loads(moment.parameters.reply_schema or "null")


def seed_of(moment: Moment) -> object:
    return moment.parameters.seed


def models_of(moment: Moment) -> object:
    return moment.models


@pytest.mark.parametrize(
    ("change", "read", "expected"),
    [
        (write, draft_of, ("Hello", 7, 7)),
        (restore, draft_of, ("Hello", 7, 7)),
        (restore, schema_of, {"type": "object"}),
        (set_schema, schema_of, {"type": "object"}),
        (set_parameters, seed_of, 8),
        (choose_models, models_of, MODELS),
    ],
)
async def test_change_in_the_first_moments_is_part_of_the_next_send(  # noqa: PLR0917 - fixtures, and a table's columns
    tab: Tab,
    conversation_id: str,
    start: Start,
    change: Callable[[Tab], Awaitable[None]],
    read: Callable[[Moment], object],
    expected: object,
) -> None:
    async with opened(tab, start):
        await change(tab)
        start.goes_on.set()

        assert read(await first_moment(tab, conversation_id)) == expected


async def test_filter_of_the_first_moments_replaces_that_of_the_address(
    tab: Tab, conversation_id: str, start: Start
) -> None:
    tab.path += "?f="
    await tab.send(FilterState.open)
    async with opened(tab, start):
        await tab.send(FilterLineState.enter, line="r1")
        start.goes_on.set()

        moment = await first_moment(tab, conversation_id)

    assert (moment.options.filter, [text_of(pair) for pair in moment.screen.pairs]) == ("r1", ["two"])


async def test_models_of_the_previous_page_are_not_those_of_the_next_send(
    tab: Tab, conversation_id: str, start: Start
) -> None:
    await choose_models(tab)
    async with opened(tab, start):
        await tab.send(ComposerState.end_compare)
        start.goes_on.set()

        assert (await first_moment(tab, conversation_id)).models == ()


async def test_files_of_the_draft_are_part_of_the_next_send(
    ctx: AppContext, tab: Tab, conversation_id: str, start: Start
) -> None:
    kept = await arrive(ctx, tab, "a-1", "milk")
    await arrive(ctx, tab, "a-2", "bread")
    async with opened(tab, start):
        await tab.send(AttachmentState.remove, key="a-2")
        added = await arrive(ctx, tab, "a-3", "eggs")
        start.goes_on.set()

        moment = await first_moment(tab, conversation_id)

    expected = (await load_attached(ctx, LOCAL_OWNER, (kept, added))).parts
    assert moment.attached == expected
    assert len(expected) == 2
    assert all(isinstance(part, TextFile) for part in expected)


async def test_last_file_of_the_draft_that_is_removed_is_not_sent(
    ctx: AppContext, tab: Tab, conversation_id: str, start: Start
) -> None:
    await arrive(ctx, tab, "a-2", "bread")
    async with opened(tab, start):
        await tab.send(AttachmentState.remove, key="a-2")
        start.goes_on.set()

        assert (await first_moment(tab, conversation_id)).attached == ()


async def test_files_of_the_draft_before_a_reload_are_part_of_the_next_send(
    ctx: AppContext, tab: Tab, conversation_id: str, start: Start
) -> None:
    await arrive(ctx, tab, "a-1", "milk")
    start.goes_on.set()
    async with opened(tab, start):
        assert len((await first_moment(tab, conversation_id)).attached) == 1


async def test_watcher_that_no_handler_runs_is_forgotten(
    tab: Tab, conversation_id: str, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tab_watchers, "ARRIVAL_SECONDS", 0.01)
    async with opened(tab, start):
        await until(lambda: tab.token not in cast("Any", tab_watchers)._PREPARED)
        await write(tab)
        monkeypatch.setattr(tab_watchers, "ARRIVAL_SECONDS", HANG_SECONDS)
        start.goes_on.set()

        assert draft_of(await first_moment(tab, conversation_id)) == ("Hello", 7, 7)


async def test_page_that_cannot_prepare_its_watcher_shows_that_it_stopped(
    ctx: AppContext, tab: Tab, conversation_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await arrive(ctx, tab, "a-1", "milk")

    async def fail(*_: object) -> None:
        raise RuntimeError("the uploads are damaged")

    monkeypatch.setattr(transcript, "find_uploads", fail)

    async with running(tab, TranscriptState.open):
        await until(lambda: tab.shows(TranscriptState, "stopped") is True)
    assert tab.shows(TranscriptState, "conversation") == conversation_id
