"""The preview on the start page: of the first message of a conversation that does not exist yet."""

from __future__ import annotations

from datetime import datetime, tzinfo
from hashlib import sha256
from typing import Any, Self

import pytest

from app.domain.settings.preferences import Preferences
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext, context_for
from app.runs.attachments.uploads import attach_file
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import set_preferences
from app.state.agents.choice import AgentState
from app.state.composer import message_box
from app.state.composer.parameters import ParametersState
from app.state.composer.parameters_form import ParameterTarget
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.conversation.temporary import TemporaryState
from app.state.inspector.bodies import BodyView
from app.state.inspector.frame import InspectorState
from app.state.inspector.preview import PreviewState
from app.store.conversation.pairs import load_pairs
from app.store.run.stored_runs import load_run
from app.views.inspector.request import RequestView
from tests.runs.steps import reply_to, until_quiet
from tests.state.conftest import Tab
from tests.state.inspector.test_inspector import gists, request
from tests.state.watched import watching

SCHEMA = '{"type":"object"}'


class LastCentury(datetime):
    """A clock that is many years slow: only what is composed with the time of the estimate has its time."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls(1999, 12, 31, 12, 30, tzinfo=tz)


async def write(tab: Tab, text: str, edition: int = 1) -> None:
    await tab.send(ComposerState.write, draft=text, typed=True, edition=edition)


@pytest.fixture
async def started(tab: Tab) -> Tab:
    """A tab on the start page, with the preview open."""
    await tab.send(ComposerState.open)
    await tab.send(ModelState.choose, model="offline:demo")
    await write(tab, "")
    await tab.send(InspectorState.show, section="preview")
    return tab


async def test_preview_follows_what_is_written(started: Tab) -> None:
    await write(started, "Hello", edition=7)

    assert gists(started) == ["Hello"]
    assert request(started).pairs == "0 of 0 pairs in view"
    assert (started.shows(PreviewState, "edition"), started.shows(PreviewState, "stale")) == (7, False)
    assert started.shows(PreviewState, "conversation") in {None, ""}

    await write(started, "Hello again", edition=8)
    assert gists(started) == ["Hello again"]
    assert (started.shows(PreviewState, "edition"), started.shows(PreviewState, "stale")) == (8, False)


async def test_preview_opens_with_what_was_written_before(tab: Tab) -> None:
    await write(tab, "Hello")
    assert tab.shows(PreviewState, "request") is None  # the inspector is closed

    await tab.send(InspectorState.toggle, section="preview")

    assert gists(tab) == ["Hello"]


async def test_preview_is_current_with_a_draft_that_is_restored(started: Tab) -> None:
    await write(started, "Hello")
    await started.send(ComposerState.restore, draft="Hello again", schema="", files="", edition=1, restore_id=1)

    assert gists(started) == ["Hello again"]


async def test_preview_that_is_closed_is_not_built_again(started: Tab) -> None:
    await write(started, "Hello")
    await started.send(InspectorState.close)

    await write(started, "Not seen")

    assert gists(started) == ["Hello"]
    assert started.shows(PreviewState, "stale") is True


async def set_once(tab: Tab, **texts: str) -> None:
    await tab.send(ParametersState.ask)
    await tab.send(ParametersState.choose_scope, scope=ParameterTarget.SEND.value)
    await tab.send(ParametersState.use, form={"scope": ParameterTarget.SEND.value, **texts})
    await tab.send(ComposerState.estimate_first)  # as the page does when the line of the parameters changes


def body_of(tab: Tab) -> bytes:
    shown: BodyView = tab.shows(PreviewState, "body")
    return shown.page.text.encode()


async def send_first(ctx: AppContext, tab: Tab, text: str) -> str:
    """Send a first message. Return the content hash of the request."""
    await tab.send(ComposerState.send, send_id="1", text=text, order_id="")
    made = tab.shows(ComposerState, "made")
    bench = await context_for(ctx, made)
    await until_quiet(bench)
    async with bench.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, made)
        assert pair.run_id is not None
        return (await load_run(session, LOCAL_OWNER, pair.run_id)).state.start.request_hash


@pytest.mark.parametrize("temporary", [True, False], ids=["temporary", "kept"])
async def test_all_that_is_set_on_the_start_page_is_in_it_and_is_sent(
    ctx: AppContext, started: Tab, monkeypatch: pytest.MonkeyPatch, *, temporary: bool
) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Critic", "system_prompt": "Find the fault."})
    about = Preferences(redact=True, about_me="I am Ada.", date_zone="UTC", tell_time=True)
    await set_preferences(ctx, LOCAL_OWNER, about)
    monkeypatch.setattr(message_box, "datetime", LastCentury)
    note = await attach_file(ctx, LOCAL_OWNER, b"city,people\n", "cities.csv", temporary=temporary)
    secret = "sk-ant-api03-" + "a" * 80
    await started.send(AgentState.load)
    await started.send(AgentState.choose, agent_id=agent.id)
    await started.send(TemporaryState.want, wanted=temporary)
    await started.send(SystemPromptState.save, form={"prompt": "Be brief."})
    await started.send(ComposerState.restore, draft="", schema=SCHEMA, files=note.id)
    await set_once(started, temperature="0.2")
    await started.send(PreviewState.choose_tab, tab="json")
    text = f"/echo {secret}"
    await write(started, text)

    body = body_of(started)
    for words in (
        b"Find the fault.",
        b"Be brief.",
        b"I am Ada.",
        b"The time is 12:30",
        b"city,people",
        b"0.2",
        b"object",
    ):
        assert words in body
    assert secret.encode() not in body
    shown: RequestView = request(started)
    assert await send_first(ctx, started, text) == shown.content_hash


async def test_json_is_the_whole_body_with_its_hash(started: Tab) -> None:
    await write(started, 'What "now"?')
    await started.send(PreviewState.choose_tab, tab="json")

    shown: BodyView = started.shows(PreviewState, "body")
    assert sha256(body_of(started)).hexdigest() == request(started).body_sha256
    assert (shown.number, shown.count, shown.download) == (1, 1, "")


async def test_large_body_comes_in_pages_without_a_download_and_waits_to_be_asked(started: Tab) -> None:
    await write(started, "A sentence of words. " * 25_000)
    await started.send(PreviewState.choose_tab, tab="json")
    shown: BodyView = started.shows(PreviewState, "body")
    pages = [shown.page.text]
    for number in range(2, shown.count + 1):
        await started.send(PreviewState.show_page, number=number)
        pages.append(started.shows(PreviewState, "body").page.text)

    assert sha256("".join(pages).encode()).hexdigest() == request(started).body_sha256
    assert shown.count > 1
    assert shown.download == ""  # no conversation exists that its address could belong to

    await write(started, "Short", edition=2)
    assert started.shows(PreviewState, "stale") is True
    await started.send(PreviewState.refresh)
    assert (gists(started), started.shows(PreviewState, "stale")) == (["Short"], False)


async def test_changes_say_that_all_of_it_is_new(ctx: AppContext, started: Tab) -> None:
    other = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, other.id, "/echo Of another conversation")
    await write(started, "Hello")

    await started.send(PreviewState.choose_tab, tab="changes")

    assert started.shows(PreviewState, "changes") is None
    assert started.shows(PreviewState, "changes_note") == (
        "Nothing was sent in this conversation yet: all of this is new."
    )


async def test_what_cannot_be_sent_says_why_until_it_can(started: Tab) -> None:
    await started.send(ComposerState.restore, draft="Hello", schema='{"type": 1}', files="")
    assert "schema" in started.shows(PreviewState, "fault")

    await started.send(ComposerState.restore, draft="Hello", schema="", files="")

    assert started.shows(PreviewState, "fault") == ""
    assert gists(started) == ["Hello"]


@pytest.mark.parametrize("section", ["tools", "messages", "usage", "branches", "lineage", "log"])
async def test_sections_of_a_conversation_do_not_open_on_the_start_page(started: Tab, section: str) -> None:
    for handler in (InspectorState.show, InspectorState.toggle):
        await started.send(handler, section=section)

    assert started.shows(InspectorState, "section") == "preview"


async def test_in_the_conversation_that_it_begins_the_preview_is_of_that(ctx: AppContext, started: Tab) -> None:
    await write(started, "/echo one")
    await started.send(ComposerState.send, send_id="1", text="/echo one", order_id="")
    await until_quiet(ctx)
    made = started.shows(ComposerState, "made")

    async with watching(ctx, started, made, draft="And two?"):
        await started.send(PreviewState.keep_current)
        assert started.shows(PreviewState, "conversation") == made
        assert gists(started) == ["/echo one", "one", "And two?"]
        assert started.shows(InspectorState, "section") == "preview"

    started.path = "/"
    await write(started, "Another first")
    assert started.shows(PreviewState, "conversation") == ""
    assert gists(started) == ["Another first"]


async def test_secrets_of_a_first_draft_point_to_the_preview(ctx: AppContext, started: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(redact=True))

    await write(started, "sk-ant-api03-" + "a" * 80)

    said: Any = started.shows(ComposerState, "kept_back")
    assert said.endswith("The preview shows what is sent.")


async def test_middleware_of_the_start_page_is_that_of_its_conversation(ctx: AppContext, started: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(about_me="I am Ada."))
    text = "/echo AKIAIOSFODNN7EXAMPLE"
    await started.send(PreviewState.choose_tab, tab="json")
    await write(started, text)
    assert b"I am Ada." in body_of(started)
    scope = ParameterTarget.CONVERSATION.value
    await started.send(ParametersState.ask)
    await started.send(ParametersState.choose_scope, scope=scope)
    await started.send(ParametersState.use, form={"scope": scope, "user_context": "false", "redaction": "true"})

    await write(started, text)

    assert b"Ada" not in body_of(started)
    assert b"AKIA" not in body_of(started)
    shown: RequestView = request(started)
    assert await send_first(ctx, started, text) == shown.content_hash
