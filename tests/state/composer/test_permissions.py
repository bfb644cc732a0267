"""Pending permission requests in state: read, edited, allowed for similar arguments, answered; and refused events."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.domain.audit import DECISIONS
from app.domain.conversation.parts import ToolResult, plain_text
from app.domain.errors import InputError
from app.domain.text.invisible import INVISIBLE
from app.domain.tools.permission_requests import PermissionRequest, PermissionStatus
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext
from app.runs.audit.audit import read_audit
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.tools.permission_commands import (
    WrongArgumentsError,
    list_pending,
    list_rules,
    read_request,
)
from app.state.composer.permission_cards import PermissionCard, list_cards, list_faults, read_edited
from app.state.composer.permissions import PermissionsState
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind
from app.state.transcript.transcript import TranscriptState
from app.store.audit.audit import AuditCriteria
from app.store.conversation.pairs import load_pairs
from app.views.reply.panels import ComparedReplyView, PermissionItemView, ScreenComparisonView
from app.views.reply.tool_card import CardStatus, ToolCardView
from tests.state.conftest import Tab
from tests.state.watched import running
from tests.waiting import until

NOW = datetime(2026, 11, 23, tzinfo=UTC)
CALL = '/tool fetch_page {"url": "http://10.0.0.1/*"}\n/then\n/echo Going on.'


async def offer_pages(ctx: AppContext) -> None:
    """Switch the built-in tool on that fetches pages."""
    await set_preferences(
        ctx, LOCAL_OWNER, replace(await read_preferences(ctx, LOCAL_OWNER), built_in_tools=("fetch_page",))
    )


@pytest.fixture
async def request_id(ctx: AppContext, tab: Tab) -> AsyncGenerator[str]:
    """Make a tool call that waits for permission and is shown in the tab."""
    await offer_pages(ctx)
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await tab.send(ComposerState.open)
    tab.path = f"/c/{conversation.id}"
    async with running(tab, TranscriptState.open):
        await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest(CALL))
        await until(lambda: bool(tab.shows(PermissionsState, "cards")))
        (request,) = await list_pending(ctx, LOCAL_OWNER, conversation.id)
        yield request.id
        await tab.send(ComposerState.stop_reply)


def card(tab: Tab) -> PermissionCard:
    (shown,) = tab.shows(PermissionsState, "cards")
    return shown


async def answer(tab: Tab, word: str, **form: object) -> None:
    request_id = card(tab).id
    await tab.send(PermissionsState.choose, request_id=request_id, answer=word)
    await tab.send(PermissionsState.answer, form={"request": request_id, **form})


async def settled(ctx: AppContext, request_id: str) -> PermissionRequest:
    return await read_request(ctx, LOCAL_OWNER, request_id)


async def test_a_call_is_shown_with_its_arguments_and_allowed_once(ctx: AppContext, tab: Tab, request_id: str) -> None:
    shown = card(tab)
    assert (shown.arguments, shown.place, shown.by, shown.delegated) == ("url: http://10.0.0.1/*", "", "", "")
    assert shown.agent == ""
    assert [(bound.name, bound.pattern) for bound in shown.bounds] == [("url", "http://10.0.0.1/[*]")]

    await answer(tab, "allow")

    assert (await settled(ctx, request_id)).standing is PermissionStatus.ALLOWED
    assert tab.shows(PermissionsState, "cards") == ()
    assert await list_rules(ctx, LOCAL_OWNER) == ()


async def test_a_call_is_denied_whatever_was_typed(ctx: AppContext, tab: Tab, request_id: str) -> None:
    await tab.send(PermissionsState.toggle_edit, request_id=request_id)
    await tab.send(PermissionsState.toggle_bounds, request_id=request_id)

    await answer(tab, "deny", arguments="{", **{"bound url": "?"})

    assert (await settled(ctx, request_id)).standing is PermissionStatus.DENIED


async def test_a_denied_call_is_shown_as_denied_by_the_person_also_after_the_page_is_opened_again(
    ctx: AppContext, tab: Tab, request_id: str
) -> None:
    await answer(tab, "deny")

    await until(lambda: bool(cards_of_calls(tab)) and cards_of_calls(tab)[0].status is CardStatus.DENIED)
    conversation_id = tab.path.rpartition("/")[2]
    await until(lambda: not ctx.engine.runs_of(conversation_id))
    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, conversation_id)
    shown = cards_of_calls(tab)[0]
    assert (shown.state, shown.gist) == ("Denied by you", '{"url": "http://10.0.0.1/*"}')
    assert pair.reply is not None
    result = next(part for part in pair.reply.parts if isinstance(part, ToolResult))
    assert (result.denied, result.is_error) == (True, True)
    assert "did not allow this call" in plain_text(result.content)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"url": 3}', '{"url": "http://10.0.0.2/", "url": "twice"}', None])
async def test_arguments_that_cannot_be_used_are_pointed_out_and_nothing_runs(
    ctx: AppContext, tab: Tab, request_id: str, text: str | None
) -> None:
    await tab.send(PermissionsState.toggle_edit, request_id=request_id)

    await answer(tab, "allow", arguments=text)

    assert card(tab).faults
    assert card(tab).editing
    assert (await settled(ctx, request_id)).standing is PermissionStatus.PENDING


async def test_arguments_are_edited_on_after_the_page_connects_again(tab: Tab, request_id: str) -> None:
    await tab.send(PermissionsState.toggle_edit, request_id=request_id)
    tab.vars.clear()
    tab.log.clear()

    async with running(tab, TranscriptState.open):
        await until(lambda: bool(tab.shows(PermissionsState, "cards")))

        assert [[one.editing for one in cards] for cards in tab.received(PermissionsState, "cards")] == [[True]]


async def test_a_call_runs_with_the_arguments_that_were_typed(ctx: AppContext, tab: Tab, request_id: str) -> None:
    await tab.send(PermissionsState.toggle_edit, request_id=request_id)

    await answer(tab, "allow", arguments='{"url": "http://10.0.0.2/"}')

    assert (await settled(ctx, request_id)).run_json == '{"url":"http://10.0.0.2/"}'


async def test_arguments_that_were_edited_and_left_as_they_were_do_not_count(
    ctx: AppContext, tab: Tab, request_id: str
) -> None:
    await tab.send(PermissionsState.toggle_edit, request_id=request_id)
    await tab.send(PermissionsState.toggle_edit, request_id=request_id)

    await answer(tab, "allow", arguments='{"url": "http://10.0.0.2/"}')

    assert (await settled(ctx, request_id)).run_json == '{"url": "http://10.0.0.1/*"}'


async def test_a_rule_is_for_arguments_like_these_alone(ctx: AppContext, tab: Tab, request_id: str) -> None:
    await tab.send(PermissionsState.toggle_bounds, request_id=request_id)
    await answer(tab, "always_allow", **{"bound url": "http://elsewhere/*"})
    assert "do not match" in card(tab).faults[0]

    await answer(tab, "always_allow", **{"bound url": "http://10.0.0.1/*"})

    (kept,) = await list_rules(ctx, LOCAL_OWNER)
    assert [(each.name, each.pattern) for each in kept.rule.arguments] == [("url", "http://10.0.0.1/*")]
    assert (await settled(ctx, request_id)).standing is PermissionStatus.ALLOWED


async def test_call_of_an_agent_is_always_allowed_for_this_agent(ctx: AppContext, tab: Tab) -> None:
    await offer_pages(ctx)
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Reader"})
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo", agent_id=agent.id)
    await tab.send(ComposerState.open)
    tab.path = f"/c/{conversation.id}"
    async with running(tab, TranscriptState.open):
        await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest(CALL))
        await until(lambda: bool(tab.shows(PermissionsState, "cards")))
        assert card(tab).agent == "Reader"
        await tab.send(PermissionsState.toggle_bounds, request_id=card(tab).id)

        await answer(tab, "always_allow_agent", **{"bound url": "http://10.0.0.1/*"})

        (kept,) = await list_rules(ctx, LOCAL_OWNER)
        assert (kept.rule.agent_id, kept.rule.arguments[0].pattern) == (agent.id, "http://10.0.0.1/*")
        await until(lambda: not ctx.engine.runs_of(conversation.id))
        await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest(CALL))
        await until(lambda: not ctx.engine.runs_of(conversation.id))
    audited = await read_audit(ctx.store, LOCAL_OWNER, limit=1, criteria=AuditCriteria(actions=DECISIONS))
    assert [(entry.action, entry.data["rule_id"]) for _, entry in audited] == [("permission.allowed", kept.rule.id)]


async def test_answer_by_keyboard_returns_the_focus_to_the_composer(tab: Tab, request_id: str) -> None:
    await answer(tab, "allow")

    assert tab.shows(ComposerState, "order").kind is OrderKind.FOCUS


@pytest.mark.parametrize("word", ["", "allowed", 7, None, ["allow"]])
async def test_no_page_answers_like_this(ctx: AppContext, tab: Tab, request_id: str, word: object) -> None:
    await tab.send(PermissionsState.choose, request_id=request_id, answer=word)
    await tab.send(PermissionsState.answer, form={"request": request_id})
    await tab.send(PermissionsState.choose, request_id=word, answer="allow")
    await tab.send(PermissionsState.answer, form={"request": word})
    await tab.send(PermissionsState.answer, form={})
    await tab.send(PermissionsState.toggle_edit, request_id=word)
    await tab.send(PermissionsState.toggle_bounds, request_id=word)

    assert (await settled(ctx, request_id)).standing is PermissionStatus.PENDING
    assert not card(tab).editing


async def test_an_answer_uses_the_form_of_its_own_card(ctx: AppContext, tab: Tab, request_id: str) -> None:
    await tab.send(PermissionsState.choose, request_id=request_id, answer="allow")
    await tab.send(PermissionsState.answer, form={"request": "another"})
    await tab.send(PermissionsState.answer, form={"request": request_id})

    assert (await settled(ctx, request_id)).standing is PermissionStatus.PENDING


ITEM = PermissionItemView(
    "r1", "c2", "c1", "run", "p", "t", "Files", "write", "Write", "", '{"path":"/a","deep":{"n":1}}', 30.0
)


def test_a_card_shows_the_tool_its_caller_and_its_arguments() -> None:
    plain, other = list_cards((ITEM, replace(ITEM, id="r2", title="", conversation_id="c1")), None, NOW)
    assert (plain.name, plain.delegated, plain.place) == ("Files: Write (write)", "/c/c2", "1 of 2")
    assert (other.name, other.delegated, other.place) == ("Files: write", "", "2 of 2")
    assert plain.arguments == 'path: /a\ndeep: {\n  "n": 1\n}'
    assert plain.until > plain.now


def test_description_of_a_tool_of_another_server_says_so() -> None:
    ours, theirs = list_cards((replace(ITEM, built_in=True), replace(ITEM, server="Inview")), None, NOW)

    assert (ours.source, theirs.source) == ("Description", "Description from the server")


def test_arguments_that_the_fields_of_a_rule_show_whole_are_not_shown_twice() -> None:
    arguments = {"path": "/a", "count": 3, "deep": {"n": 1}, "lines": "a\nb", "long": "x" * 99, "hidden": "\u200b"}

    (card,) = list_cards((replace(ITEM, input_json=json.dumps(arguments)),), None, NOW)

    shown = [line.partition(":")[0] for line in card.beside_bounds.splitlines() if ": " in line and line[0] != " "]
    assert shown == ["deep", "lines", "long", "hidden"]


def test_a_card_of_a_compared_model_names_it() -> None:
    comparison = ScreenComparisonView("k", "c1", "", "Why?", (ComparedReplyView("offline:tiny", "c2", "p", "run", 0),))
    (card,) = list_cards((ITEM,), comparison, NOW)
    assert (card.by, card.delegated) == ("offline:tiny", "")


def test_arguments_show_invisible_characters_as_equivalent_escapes() -> None:
    hidden = {"path": "/a\u202e\u2066b\x1b[2K\nc", "list": ["\u200b"]}

    (card,) = list_cards((replace(ITEM, input_json=json.dumps(hidden)),), None, NOW)

    assert card.arguments.startswith("path: /a\\u202e\\u2066b\\u001b[2K\nc\n")
    assert not INVISIBLE.search(card.arguments.replace("\n", ""))
    assert not INVISIBLE.search(card.text.replace("\n", ""))
    assert read_edited(card.text) == hidden


def test_unreadable_arguments_are_shown_unchanged() -> None:
    (card,) = list_cards((replace(ITEM, input_json='{"a":1,"a":2}'),), None, NOW)
    assert (card.arguments, card.bounds) == ('{"a":1,"a":2}', ())


def test_faults_name_the_argument_they_are_about() -> None:
    assert list_faults(WrongArgumentsError((("path", "is no text"), ("", "is too much")))) == (
        "path: is no text",
        "arguments: is too much",
    )
    assert list_faults(InputError("only_if", "does not cover it.")) == ("only_if: does not cover it.",)
    with pytest.raises(InputError, match="This is not valid JSON"):
        read_edited(" ")


def cards_of_calls(tab: Tab) -> list[ToolCardView]:
    pairs = tab.shows(TranscriptState, "pairs") or ()
    return [part for pair in pairs for part in pair.parts if isinstance(part, ToolCardView)]
