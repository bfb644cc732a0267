"""The parameters in the composer: set for the conversation or the next send, shown before it, and removed after it."""

from __future__ import annotations

import pytest

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.retry_policy import RetryLimits, RetryPolicy
from app.domain.settings.preferences import Preferences
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.queue import read_queue
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import set_preferences
from app.state.composer.parameters import ParametersState
from app.state.composer.parameters_form import ParametersFormView, ParameterTarget
from app.state.composer.queue import list_rows
from app.state.composer.schema import SchemaState
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.state.inspector.preview import PreviewState
from app.state.messages.toasts import ToastState
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs
from tests.state.conftest import Tab
from tests.state.watched import watching
from tests.waiting import until


@pytest.fixture
async def conversation(ctx: AppContext, tab: Tab) -> str:
    """Show a conversation of the built-in model in the tab."""
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{made.id}"
    await tab.send(ModelState.load)
    return made.id


async def stored(ctx: AppContext, conversation_id: str) -> Parameters:
    async with ctx.store.read() as session:
        return (await load_conversation(session, LOCAL_OWNER, conversation_id)).parameters


async def asked(ctx: AppContext, conversation_id: str) -> list[Parameters]:
    async with ctx.store.read() as session:
        return [pair.parameters for pair in await load_pairs(session, LOCAL_OWNER, conversation_id)]


async def use(tab: Tab, scope: ParameterTarget, **texts: str) -> None:
    await tab.send(ParametersState.ask)
    await tab.send(ParametersState.choose_scope, scope=scope.value)
    await tab.send(ParametersState.use, form={"scope": scope.value, **texts})


async def send(tab: Tab, text: str, send_id: str = "1") -> None:
    await tab.send(ComposerState.send, send_id=send_id, text=text, order_id="")


def form_of(tab: Tab) -> ParametersFormView:
    form = tab.shows(ParametersState, "form")
    assert isinstance(form, ParametersFormView)
    return form


async def test_they_are_set_for_the_conversation_and_undo_sets_them_back(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await use(tab, ParameterTarget.CONVERSATION, temperature="0.2", seed="7", effort="low", thinking="true")
    assert await stored(ctx, conversation) == Parameters(temperature=0.2, seed=7, effort=Effort.LOW, thinking=True)
    assert tab.shows(ParametersState, "form") is None
    said = "Parameters of this conversation: temperature 0.2, seed 7, effort low, thinking on."
    assert tab.shows(ToastState, "toast").message == said

    await tab.send(ParametersState.ask)
    assert (form_of(tab).texts.temperature, form_of(tab).texts.thinking, form_of(tab).is_set) == ("0.2", "true", True)
    await tab.send(ParametersState.unset)
    assert await stored(ctx, conversation) == Parameters()

    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)
    assert (await stored(ctx, conversation)).seed == 7


async def test_retries_are_of_the_conversation_and_shown_where_they_are_not_as_usual(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    async with watching(ctx, tab, conversation) as watcher:
        await use(tab, ParameterTarget.CONVERSATION, retry_policy="none", seed="7")

        async with ctx.store.read() as session:
            changed = await load_conversation(session, LOCAL_OWNER, conversation)
        assert (changed.retry_policy, changed.parameters.seed) == (RetryPolicy.NONE, 7)
        assert tab.shows(ToastState, "toast").message == "Parameters of this conversation: seed 7, no retries."
        await until(lambda: watcher.screen.context is not None and len(watcher.screen.context.settings) == 2)
        await use(tab, ParameterTarget.SEND, seed="8")
        await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)

        async with ctx.store.read() as session:
            back = await load_conversation(session, LOCAL_OWNER, conversation)
        assert (back.retry_policy, back.parameters) == (RetryPolicy.EXPONENTIAL, Parameters())


async def test_limits_of_retries_are_of_the_conversation_and_undo_sets_them_back(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await use(tab, ParameterTarget.CONVERSATION, max_retries="5", max_backoff_seconds="30")
    message = "Parameters of this conversation: exponential retries (at most 5, longest wait 30 s)."
    assert tab.shows(ToastState, "toast").message == message
    await use(tab, ParameterTarget.CONVERSATION, max_retries="eleven", max_backoff_seconds="")
    assert tab.shows(ParametersState, "retry_faults").max_retries == "Enter a number from 0 to 10."
    await use(tab, ParameterTarget.SEND, seed="8")

    async with ctx.store.read() as session:
        changed = await load_conversation(session, LOCAL_OWNER, conversation)
    assert changed.retry_limits == RetryLimits(5, 30.0)

    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)

    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation)).retry_limits == RetryLimits()


async def test_middleware_is_of_the_conversation_shown_with_its_parameters_and_undone(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(about_me="I am Ada."))
    async with watching(ctx, tab, conversation) as watcher:
        await until(lambda: watcher.screen.context is not None and watcher.screen.context.prelude is not None)

        await use(tab, ParameterTarget.CONVERSATION, user_context="false", redaction="true")

        async with ctx.store.read() as session:
            changed = await load_conversation(session, LOCAL_OWNER, conversation)
        assert changed.middleware == MiddlewareChoices(user_context=False, redaction=True)
        message = "Parameters of this conversation: no text about you, redaction on."
        assert tab.shows(ToastState, "toast").message == message
        await until(lambda: watcher.screen.context is not None and watcher.screen.context.prelude is None)
        assert watcher.screen.context is not None
        assert [one.text for one in watcher.screen.context.settings] == ["no text about you, redaction on"]
        await tab.send(ParametersState.ask)
        form = tab.shows(ParametersState, "form")
        assert (form.user_context, form.redaction, form.is_set) == ("false", "true", True)

        await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)

        async with ctx.store.read() as session:
            assert (await load_conversation(session, LOCAL_OWNER, conversation)).middleware == MiddlewareChoices()


async def test_what_is_set_for_one_send_goes_with_that_alone(ctx: AppContext, tab: Tab, conversation: str) -> None:
    await use(tab, ParameterTarget.SEND, temperature="0.9", seed="1")

    await send(tab, "/echo one")
    await until(lambda: tab.shows(ComposerState, "answers") is not None)
    for run in ctx.engine.runs_of(conversation):
        await until(lambda run=run: run.state.outcome is not None)
    await send(tab, "/echo two", "2")

    assert await asked(ctx, conversation) == [Parameters(temperature=0.9, seed=1), Parameters()]
    assert await stored(ctx, conversation) == Parameters()


async def test_the_next_send_is_shown_with_the_source_of_each_parameter(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "A", "parameters": Parameters(top_p=0.5, seed=3)})
    await change_conversation(
        ctx, LOCAL_OWNER, conversation, SettingChanges(agent_id=agent.id, parameters=Parameters(seed=4))
    )
    async with watching(ctx, tab, conversation) as watcher:
        await use(tab, ParameterTarget.SEND, temperature="0.9")

        def shown() -> list[tuple[str, str]]:
            context = watcher.screen.context
            return [] if context is None else [(one.text, one.source.value) for one in context.settings]

        await until(lambda: len(shown()) == 3)
        assert shown() == [("temperature 0.9", "send"), ("top_p 0.5", "agent"), ("seed 4", "conversation")]

        await tab.send(ParametersState.ask)
        assert (form_of(tab).instead.seed, form_of(tab).instead.top_p) == ("A: 3", "A: 0.5")
        await tab.send(ParametersState.choose_scope, scope="send")
        assert (form_of(tab).instead.seed, form_of(tab).instead.effort) == ("Conversation: 4", "Model default")

        await tab.send(ParametersState.take_off, name="temperature")
        await until(lambda: len(shown()) == 2)


async def test_the_preview_shows_what_is_set_for_one_send_and_a_schema(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    async with watching(ctx, tab, conversation):
        await tab.send(ComposerState.write, draft="Hello", typed=True)
        await use(tab, ParameterTarget.SEND, temperature="0.9")
        await tab.send(SchemaState.ask)
        await tab.send(SchemaState.use, form={"schema": '{"type": "object"}'})
        await tab.send(PreviewState.refresh)

        request = tab.shows(PreviewState, "request")
        shown = {fact.name: fact.value for fact in request.parameters}
        assert shown == {"temperature": "0.9", "reply_schema": '{"type":"object"}'}
        assert [piece.gist for piece in request.messages] == ["Hello"]


@pytest.mark.parametrize(
    ("model", "texts", "name", "fault"),
    [
        ("offline:demo", {"temperature": "warm"}, "temperature", "Not a number. Correct it or leave it empty."),
        ("offline:demo", {"seed": "1.5"}, "seed", "Not a whole number. Correct it or leave it empty."),
        ("offline:demo", {"top_p": "2"}, "top_p", "Must be a number from 0 to 1."),
        ("anthropic:claude-sonnet-4-5", {"temperature": "1.5"}, "temperature", "Anthropic supports a temperature from"),
        ("anthropic:claude-sonnet-4-5", {"max_output_tokens": "99999"}, "max_output_tokens", "writes at most 64,000"),
    ],
)
async def test_what_cannot_be_used_is_said_at_its_field(  # noqa: PLR0917 - fixtures, and a table's columns
    ctx: AppContext, tab: Tab, conversation: str, model: str, texts: dict[str, str], name: str, fault: str
) -> None:
    await tab.send(ModelState.choose, model=model)
    await use(tab, ParameterTarget.CONVERSATION, **texts)

    assert fault in getattr(tab.shows(ParametersState, "faults"), name)
    assert form_of(tab).scope is ParameterTarget.CONVERSATION
    assert await stored(ctx, conversation) == Parameters()


async def test_only_what_the_model_takes_is_offered_and_the_rest_is_kept(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await change_conversation(
        ctx, LOCAL_OWNER, conversation, SettingChanges(parameters=Parameters(temperature=0.5, seed=7))
    )
    await tab.send(ModelState.choose, model="openai:gpt-5")

    await tab.send(ParametersState.ask)
    assert form_of(tab).takes == ("max_output_tokens", "effort", "thinking")
    assert form_of(tab).lacks.endswith("does not support temperature, top_p or seed.")
    await tab.send(ParametersState.use, form={"scope": "conversation", "effort": "high"})

    assert await stored(ctx, conversation) == Parameters(temperature=0.5, seed=7, effort=Effort.HIGH)


async def test_a_refused_send_gives_back_what_it_took_along(ctx: AppContext, tab: Tab, conversation: str) -> None:
    async with watching(ctx, tab, conversation) as watcher:
        await use(tab, ParameterTarget.SEND, temperature="0.9")
        await tab.send(ModelState.choose, model="openai:gpt-5")

        await send(tab, "Hello")

        assert "does not support the temperature" in tab.shows(ComposerState, "fault")
        assert watcher.view.parameters == Parameters(temperature=0.9)
        assert await asked(ctx, conversation) == []


async def test_a_queued_text_keeps_what_was_set_for_it(ctx: AppContext, tab: Tab, conversation: str) -> None:
    await start_reply(ctx, LOCAL_OWNER, conversation, SendRequest("/long 4000 /rate 25"))
    await use(tab, ParameterTarget.SEND, seed="5")

    await send(tab, "/echo later")

    (item,) = (await read_queue(ctx, LOCAL_OWNER, conversation)).items
    assert item.parameters == Parameters(seed=5)
    async with watching(ctx, tab, conversation) as watcher:
        await until(lambda: bool(watcher.screen.queue.items))
        assert [row.asked for row in list_rows(watcher.screen.queue)] == ["seed 5"]
    await tab.send(ComposerState.stop_reply)


async def test_what_is_set_on_the_first_page_goes_with_the_conversation_that_it_begins(
    ctx: AppContext, tab: Tab
) -> None:
    await tab.send(ParametersState.open)
    await use(tab, ParameterTarget.CONVERSATION, temperature="0.2")
    await use(tab, ParameterTarget.SEND, seed="5")
    assert [one.text for one in tab.shows(ParametersState, "settings")] == ["temperature 0.2", "seed 5"]

    await send(tab, "/echo one")
    made = tab.shows(ComposerState, "made")
    assert await stored(ctx, made) == Parameters(temperature=0.2)
    assert await asked(ctx, made) == [Parameters(temperature=0.2, seed=5)]

    tab.path = f"/c/{made}"
    await tab.send(ParametersState.open)
    tab.path = "/"
    await tab.send(ParametersState.open)
    assert tab.shows(ParametersState, "settings") == ()


async def test_another_model_on_the_first_page_says_at_once_what_it_does_not_take(tab: Tab) -> None:
    await tab.send(ParametersState.open)
    await use(tab, ParameterTarget.SEND, temperature="0.9")
    await tab.send(ModelState.choose, model="openai:gpt-5")
    await tab.send(ParametersState.refresh)

    (one,) = tab.shows(ParametersState, "settings")
    assert one.refusal.endswith("does not support the temperature. Remove it, or choose another model.")


@pytest.mark.parametrize("payload", [{}, {"scope": "all"}, {"temperature": 7}, {"seed": "9" * 50}])
async def test_no_page_sets_what_is_no_form(
    ctx: AppContext, tab: Tab, conversation: str, payload: dict[str, object]
) -> None:
    await tab.send(ParametersState.ask)
    await tab.send(ParametersState.use, form={"scope": "conversation"} | payload)
    await tab.send(ParametersState.take_off, name=payload)
    await tab.send(ParametersState.put_back, conversation_id=payload, texts=payload)

    assert await stored(ctx, conversation) == Parameters()
