"""The model parameters: set for the conversation or for the next send alone, and shown before the send.

    await tab.send(ParametersState.ask)
    await tab.send(ParametersState.use, form={"temperature": "0.2"})     # for the conversation: the dialog's scope
    await tab.send(ParametersState.take_off, name="seed")                # of the next send

On the start page, the parameters apply to the conversation that the first message starts. Parameters for one send are
removed with the send, and restored if the send is refused.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.middleware_choices import describe_choices
from app.domain.conversation.parameters import NAMES, NO_PARAMETERS, describe_parameters, list_set
from app.domain.errors import InviewError
from app.domain.retry_policy import USUAL_RETRIES, describe_retries
from app.providers.models.fitting import list_taken
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.opening import OpenedConversation
from app.runs.runtime.catalogue import DEFAULT_MODEL
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.parameters import Layers, list_settings
from app.runs.watch.screen import Screen
from app.state.agents.choice import AgentState
from app.state.composer.parameters_form import (
    FIELD,
    MAX_TYPED,
    NOTHING_SET,
    RETRY_POLICY,
    ConversationParameters,
    ParametersFormView,
    ParameterSources,
    ParameterTarget,
    choices_in,
    describe_parameters_form,
    find_parameter_faults,
    policy_in,
    retries_in,
    scope_in,
    texts_in,
    write_choices,
)
from app.state.conversation.model import ModelState
from app.state.conversation.parameter_texts import (
    RETRY_LIMITS,
    ParameterTexts,
    RetryTexts,
    read_parameters,
    read_retry_limits,
    write_parameters,
    write_retry_limits,
)
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import watcher_of
from app.state.tab.visit import VisitedState
from app.store.agents.agents import find_agent
from app.store.conversation.conversations import load_conversation
from app.views.composer.parameters import SettingView

MAX_REMEMBERED: Final = 20
"""Maximum number of conversations whose parameters for the next send are remembered."""


class ParametersState(VisitedState, rx.State):
    """The dialog of the model parameters, which is open while `form` is set.

    `faults` and `retry_faults` are the errors of its fields, `fault` is an error that belongs to no field. The
    parameters of the next send are `settings`, and `summary` is one line that describes them.
    """

    form: rx.Field[ParametersFormView | None] = rx.field(None)
    faults: rx.Field[ParameterTexts] = rx.field(default_factory=ParameterTexts)
    retry_faults: rx.Field[RetryTexts] = rx.field(default_factory=RetryTexts)
    fault: rx.Field[str] = rx.field("")
    settings: rx.Field[tuple[SettingView, ...]] = rx.field(())
    summary: rx.Field[str] = rx.field("")
    _send_parameters: tuple[tuple[str, Parameters], ...] = ()  # each with its conversation's id; "" for a new one
    _begins_with: ConversationParameters = NOTHING_SET

    @rx.event
    async def open(self) -> None:
        """On the start page, show the parameters that were set there. On the page of a conversation, clear them.

        A conversation that was started on the start page has stored these parameters already.
        """
        if conversation_in(self.router.url.path):
            self._forget_first()
        else:
            await self._refresh()

    @rx.event
    async def refresh(self) -> None:
        """Update the parameters that the start page shows, because another model was chosen."""
        if not conversation_in(self.router.url.path):
            await self._refresh()

    @rx.event
    async def ask(self) -> None:
        """Open the dialog with the parameters of the conversation."""
        await self._open(ParameterTarget.CONVERSATION)

    @rx.event
    async def choose_scope(self, scope: str) -> None:
        """Show the parameters of the other scope: the conversation or the next send. Unsaved input is lost."""
        if self.form is not None and (valid_scope := scope_in(scope)) is not None:
            await self._open(valid_scope)

    @rx.event
    async def close(self) -> None:
        """Close the dialog of the model parameters without changes."""
        self.form = None

    @rx.event
    async def use(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Store the parameters that were entered in the form, for its `scope` (the conversation or the next send).

        The form has no field for a parameter that the model does not support. Such a parameter keeps its stored value.
        """
        scope = scope_in(form.get("scope"))
        if self.form is None or scope is None or (now := await self._read()) is None:
            return None
        read = read_parameters(texts_in(form))
        faults = dict(read.faults)
        if read.parameters is not None:
            faults = find_parameter_faults(read.parameters, now)
        limits, retry_faults = read_retry_limits(retries_in(form), now.layers.retry_limits)
        self.faults, self.retry_faults = ParameterTexts(**faults), retry_faults
        if faults or read.parameters is None or retry_faults != RetryTexts():
            wrong = {*faults, *(name for name in RETRY_LIMITS if getattr(retry_faults, name))}
            return rx.set_focus(FIELD + next(name for name in (*NAMES, *RETRY_LIMITS) if name in wrong))
        before = now.set_in(scope)
        hidden = {name: value for name, value in list_set(before) if name not in list_taken(now.provider, now.profile)}
        policy = policy_in(form.get(RETRY_POLICY)) or now.layers.retry_policy
        parameters = replace(read.parameters, **hidden)
        await self._store(now, scope, ConversationParameters(parameters, policy, limits, choices_in(form)))
        return None

    @rx.event
    async def unset(self) -> None:
        """Remove all parameters of the dialog's scope: those of the conversation or those of the next send."""
        if self.form is not None and (now := await self._read()) is not None:
            await self._store(now, self.form.scope, NOTHING_SET)

    @rx.event
    async def take_off(self, name: str) -> None:
        """Remove this parameter from the next send."""
        conversation_id = conversation_in(self.router.url.path)
        if text_in(name, MAX_TYPED) in NAMES:
            await self._set_send_parameters(
                conversation_id, replace(self._send_parameters_of(conversation_id), **{name: None})
            )

    @rx.event
    async def put_back(self, conversation_id: str, texts: dict[str, str]) -> None:
        """Restore the previous parameters of a conversation, given as texts.

        Undo sends this event, so no further undo is offered.
        """
        valid_id = text_in(conversation_id, MAX_TYPED)
        parameters, policy = read_parameters(texts_in(texts)).parameters, policy_in(texts.get(RETRY_POLICY))
        limits, _ = read_retry_limits(retries_in(texts), USUAL_RETRIES)
        if valid_id is not None and parameters is not None and policy is not None:
            entered = ConversationParameters(parameters, policy, limits, choices_in(texts))
            await self._set_for_conversation(valid_id, entered)

    async def _end_visit(self) -> None:
        self.form = None

    async def _open(self, scope: ParameterTarget) -> None:
        await self._come()
        self.faults, self.retry_faults, self.fault = ParameterTexts(), RetryTexts(), ""
        number = 0 if self.form is None else self.form.number + 1
        now = await self._read()
        self.form = None if now is None else describe_parameters_form(now, scope, number)

    def _forget_first(self) -> None:
        """Forget the parameters of the start page, which the conversation has stored."""
        self._begins_with = NOTHING_SET
        self._send_parameters = tuple(one for one in self._send_parameters if one[0])

    def _show_opened(self, opened: OpenedConversation) -> None:
        """Show the parameters of the next send on the start page."""
        own = self._begins_with
        usual = NO_PARAMETERS if opened.agent is None else opened.agent.parameters
        layers = Layers(
            self._send_parameters_of(opened.id), own.parameters, usual, own.policy, own.limits, own.middleware
        )
        self._show(list_settings(layers, opened.provider, opened.profile))

    async def _refresh(self) -> None:
        try:
            now = await self._look()
        except InviewError:  # the provider of the model no longer exists, which the menu of models says
            settings = ()
        else:
            settings = now.settings
        self._show(settings)

    async def _read(self) -> ParameterSources | None:
        """Return the parameters of the next send and the data that they depend on.

        None: they cannot be read, and a toast says why.
        """
        try:
            return await self._look()
        except InviewError as error:
            await show_fault(self, error)
            return None

    async def _look(self) -> ParameterSources:
        conversation_id = conversation_in(self.router.url.path)
        ctx = await context_for(current(), conversation_id) if conversation_id else current()
        models, agents = await self.get_state(ModelState), await self.get_state(AgentState)
        chosen = models.chosen if models.chosen_in == conversation_id else ""
        async with ctx.store.read() as session:
            own, agent_id = self._begins_with, agents.answering
            if conversation_id:
                conversation = await load_conversation(session, LOCAL_OWNER, conversation_id)
                agent_id = conversation.agent_id
                own = ConversationParameters(
                    conversation.parameters,
                    conversation.retry_policy,
                    conversation.retry_limits,
                    conversation.middleware,
                )
                chosen = chosen or conversation.model or ""
            agent = await find_agent(session, LOCAL_OWNER, agent_id or None)
            provider, profile = await ctx.catalogue.recognise(
                session, LOCAL_OWNER, chosen or models.remembered or DEFAULT_MODEL
            )
        answers = agent is not None and agent.deleted_at is None
        usual, name = (agent.parameters, agent.name) if agent is not None and answers else (NO_PARAMETERS, "")
        sent = self._send_parameters_of(conversation_id)
        layers = Layers(sent, own.parameters, usual, own.policy, own.limits, own.middleware)
        return ParameterSources(conversation_id, provider, profile, layers, name)

    async def _store(self, now: ParameterSources, scope: ParameterTarget, entered: ConversationParameters) -> None:
        """Store the parameters and close the dialog. A toast reports a change for the conversation."""
        if scope is ParameterTarget.SEND:
            await self._set_send_parameters(now.conversation_id, entered.parameters)
            self.form = None
            return
        layers = now.layers
        before = ConversationParameters(
            layers.conversation, layers.retry_policy, layers.retry_limits, layers.middleware
        )
        if not await self._set_for_conversation(now.conversation_id, entered):
            return
        self.form = None
        if entered != before:
            parts = (
                describe_parameters(entered.parameters),
                describe_retries(entered.policy, entered.limits),
                describe_choices(entered.middleware),
            )
            description = ", ".join(filter(None, parts)) or "none set"
            texts = {
                **asdict(write_parameters(before.parameters)),
                **asdict(write_retry_limits(before.limits)),
                RETRY_POLICY: before.policy.value,
                **write_choices(before.middleware),
            }
            undo = ParametersState.put_back(now.conversation_id, texts)
            await show_toast(
                self, f"Parameters of this conversation: {description}.", undo=Undo(cast("EventSpec", undo))
            )

    async def _set_for_conversation(self, conversation_id: str, entered: ConversationParameters) -> bool:
        if not conversation_id:
            self._begins_with = entered
            await self._refresh()
            return True
        try:
            ctx = await context_for(current(), conversation_id)
            await change_conversation(
                ctx,
                LOCAL_OWNER,
                conversation_id,
                SettingChanges(
                    parameters=entered.parameters,
                    retry_policy=entered.policy,
                    retry_limits=entered.limits,
                    middleware=entered.middleware,
                ),
            )
        except InviewError as error:
            await show_fault(self, error)
            return False
        return True

    async def _set_send_parameters(self, conversation_id: str, parameters: Parameters) -> None:
        others = tuple(one for one in self._send_parameters if one[0] != conversation_id)
        added = ((conversation_id, parameters),) if list_set(parameters) else ()
        self._send_parameters = (*others, *added)[-MAX_REMEMBERED:]
        if not conversation_id:
            await self._refresh()
            return
        watcher = watcher_of(self)
        if watcher is not None and watcher.conversation_id == conversation_id:
            schema = watcher.view.parameters.reply_schema
            watcher.write(watcher.view.draft, replace(parameters, reply_schema=schema), watcher.view.edition)

    def _send_parameters_of(self, conversation_id: str) -> Parameters:
        return dict(self._send_parameters).get(conversation_id, NO_PARAMETERS)

    def _show(self, settings: tuple[SettingView, ...]) -> None:
        set_changed(self, settings=settings, summary=", ".join(one.text for one in settings))


def open_parameters(state: ParametersState, opened: OpenedConversation) -> None:
    """On the start page, show the parameters that were set there. On the page of a conversation, remove them."""
    if opened.id:
        state._forget_first()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers
    else:
        state._show_opened(opened)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


async def send_parameters_of(state: rx.State, conversation_id: str) -> Parameters:
    """Return the parameters that are set only for the next send of a conversation.

    `conversation_id` is "" for the conversation that a first message will start.
    """
    parameters = await state.get_state(ParametersState)
    return parameters._send_parameters_of(conversation_id)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def take_send_parameters(state: rx.State, conversation_id: str) -> Parameters:
    """Remove and return the parameters that are set for the next send alone, because this send starts now."""
    parameters = await state.get_state(ParametersState)
    taken = parameters._send_parameters_of(conversation_id)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
    if list_set(taken):
        await parameters._set_send_parameters(conversation_id, NO_PARAMETERS)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return taken


async def restore_send_parameters(state: rx.State, conversation_id: str, taken: Parameters) -> None:
    """Restore the parameters `taken` from a send that was refused, unless others have been set since."""
    parameters = await state.get_state(ParametersState)
    if list_set(taken) and not list_set(parameters._send_parameters_of(conversation_id)):  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        await parameters._set_send_parameters(conversation_id, taken)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


async def begins_with(state: rx.State) -> ConversationParameters:
    """Return the parameters and the retries that are set on the start page for a new conversation."""
    return (await state.get_state(ParametersState))._begins_with  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def show_parameters(state: ParametersState, screen: Screen, shown: Screen | None) -> None:
    """Copy the parameters of the next send from `screen` to `state`, if they differ from those in `shown`.

    `shown` is the screen that was copied last.
    """
    context, before = screen.context, None if shown is None else shown.context
    settings = () if context is None else context.settings
    if before is None or settings != before.settings:
        state._show(settings)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


def clear_parameters(state: ParametersState) -> None:
    """Remove the parameters from `state`, because the page shows another conversation. The stored ones stay."""
    state._show(())  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
