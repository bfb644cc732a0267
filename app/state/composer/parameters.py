"""The model parameters: set for the conversation or for the next send alone, and shown before the send.

    await tab.send(ParametersState.ask)
    await tab.send(ParametersState.use, form={"temperature": "0.2"})     # for the conversation: the dialog's scope
    await tab.send(ParametersState.take_off, name="seed")                # of the next send

On the start page, the parameters apply to the conversation that the first message starts. Parameters for one send are
removed with the send, and restored if the send is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices, describe_choices
from app.domain.conversation.parameters import (
    NAMES,
    NO_PARAMETERS,
    NOUNS,
    describe_parameters,
    describe_value,
    list_set,
    merge_parameters,
    require_parameters,
)
from app.domain.errors import InputError, InviewError
from app.domain.models.model_profile import ModelProfile
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy, describe_retries
from app.providers.base import Provider
from app.providers.models.fitting import fit_parameters, list_taken
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.opening import OpenedConversation
from app.runs.runtime.catalogue import DEFAULT_MODEL
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.parameters import Layers, list_settings
from app.runs.watch.screen import Screen
from app.state.agents.choice import AgentState
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

MAX_TYPED: Final = 40
"""Maximum number of characters in the field of a parameter."""
MAX_REMEMBERED: Final = 20
"""Maximum number of conversations whose parameters for the next send are remembered."""
RETRY_POLICY: Final = "retry_policy"
"""The name of the control for the retry policy, which says when a failed call is repeated."""
USER_CONTEXT: Final = "user_context"
"""The name of the control for the text about the user. Its values are "" (as in Settings) and "false"."""
REDACTION: Final = "redaction"
"""The name of the control for redaction. Its values are "" (as in Settings), "true" and "false"."""
FIELD: Final = "parameter-"
"""The beginning of the HTML id of a parameter's control. The name of the parameter follows."""


@dataclass(frozen=True, slots=True)
class ConversationParameters:
    """The parameters of a conversation, its retries and its middleware."""

    parameters: Parameters = NO_PARAMETERS
    policy: RetryPolicy = RetryPolicy.EXPONENTIAL
    limits: RetryLimits = USUAL_RETRIES
    middleware: MiddlewareChoices = USUAL_MIDDLEWARE


NOTHING_SET: Final = ConversationParameters()


class ParameterTarget(StrEnum):
    """The scope of parameters: the whole conversation, or its next send alone."""

    CONVERSATION = "conversation"
    SEND = "send"


@dataclass(frozen=True)
class ParametersFormView:
    """The content of the dialog of the model parameters.

    - `texts`: the initial texts of its fields.
    - `number`: the number of times that the fields were filled since the dialog opened.
    - `instead`: for each field, a description of the value that is used while the field is empty.
    - `takes`: the parameters that the model supports.
    - `lacks`: a sentence that names the parameters that the model does not support.
    - `limit`: a sentence about the maximum number of output tokens.
    - `retry_policy`, `retry_texts`: the retry policy of the conversation, and the texts of the limits of retries.
    - `user_context`, `redaction`: the values of the controls for the middleware of the conversation.
    - `is_set`: parameters are set for the `scope`, so they can be removed.
    """

    scope: ParameterTarget
    texts: ParameterTexts
    instead: ParameterTexts
    takes: tuple[str, ...]
    lacks: str
    limit: str
    retry_policy: str
    retry_texts: RetryTexts
    user_context: str
    redaction: str
    is_set: bool
    number: int = 0


@dataclass(frozen=True, slots=True)
class _Situation:
    """All data that determines the parameters of the next send."""

    conversation_id: str
    provider: Provider
    profile: ModelProfile
    layers: Layers
    agent: str

    def set_in(self, scope: ParameterTarget) -> Parameters:
        return self.layers.send if scope is ParameterTarget.SEND else self.layers.conversation

    @property
    def settings(self) -> tuple[SettingView, ...]:
        return list_settings(self.layers, self.provider, self.profile)


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
        if self.form is not None and (valid_scope := _scope_in(scope)) is not None:
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
        scope = _scope_in(form.get("scope"))
        if self.form is None or scope is None or (now := await self._read()) is None:
            return None
        read = read_parameters(_texts_in(form))
        faults = dict(read.faults)
        if read.parameters is not None:
            faults = _find_faults(read.parameters, now)
        limits, retry_faults = read_retry_limits(_retries_in(form), now.layers.retry_limits)
        self.faults, self.retry_faults = ParameterTexts(**faults), retry_faults
        if faults or read.parameters is None or retry_faults != RetryTexts():
            wrong = {*faults, *(name for name in RETRY_LIMITS if getattr(retry_faults, name))}
            return rx.set_focus(FIELD + next(name for name in (*NAMES, *RETRY_LIMITS) if name in wrong))
        before = now.set_in(scope)
        hidden = {name: value for name, value in list_set(before) if name not in list_taken(now.provider, now.profile)}
        policy = _policy_in(form.get(RETRY_POLICY)) or now.layers.retry_policy
        parameters = replace(read.parameters, **hidden)
        await self._store(now, scope, ConversationParameters(parameters, policy, limits, _choices_in(form)))
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
        parameters, policy = read_parameters(_texts_in(texts)).parameters, _policy_in(texts.get(RETRY_POLICY))
        limits, _ = read_retry_limits(_retries_in(texts), USUAL_RETRIES)
        if valid_id is not None and parameters is not None and policy is not None:
            entered = ConversationParameters(parameters, policy, limits, _choices_in(texts))
            await self._set_for_conversation(valid_id, entered)

    async def _end_visit(self) -> None:
        self.form = None

    async def _open(self, scope: ParameterTarget) -> None:
        await self._come()
        self.faults, self.retry_faults, self.fault = ParameterTexts(), RetryTexts(), ""
        number = 0 if self.form is None else self.form.number + 1
        now = await self._read()
        self.form = None if now is None else _describe_form(now, scope, number)

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

    async def _read(self) -> _Situation | None:
        """Return the parameters of the next send and the data that they depend on.

        None: they cannot be read, and a toast says why.
        """
        try:
            return await self._look()
        except InviewError as error:
            await show_fault(self, error)
            return None

    async def _look(self) -> _Situation:
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
        return _Situation(conversation_id, provider, profile, layers, name)

    async def _store(self, now: _Situation, scope: ParameterTarget, entered: ConversationParameters) -> None:
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
                **_write_choices(before.middleware),
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


def _scope_in(value: object) -> ParameterTarget | None:
    return ParameterTarget(value) if value in {each.value for each in ParameterTarget} else None


def _policy_in(value: object) -> RetryPolicy | None:
    return RetryPolicy(value) if value in {each.value for each in RetryPolicy} else None


def _retries_in(form: object) -> dict[str, str]:
    """Return the limits of retries in a form as texts, by name. The form of the next send has none."""
    if not isinstance(form, dict):
        return {}
    fields = cast("dict[object, object]", form)
    return {name: text for name in RETRY_LIMITS if (text := text_in(fields.get(name), MAX_TYPED)) is not None}


def _texts_in(form: object) -> dict[str, str]:
    """Return the parameters in a form as texts, by name. Values that are not text or are too long are left out."""
    if not isinstance(form, dict):
        return {}
    fields = cast("dict[object, object]", form)
    return {name: text for name in NAMES if (text := text_in(fields.get(name), MAX_TYPED)) is not None}


def _choices_in(form: Mapping[str, Any]) -> MiddlewareChoices:
    return MiddlewareChoices(
        user_context=form.get(USER_CONTEXT) != "false",
        redaction={"true": True, "false": False}.get(str(form.get(REDACTION))),
    )


def _write_choices(choices: MiddlewareChoices) -> dict[str, str]:
    redaction = "" if choices.redaction is None else str(choices.redaction).lower()
    return {USER_CONTEXT: "" if choices.user_context else "false", REDACTION: redaction}


def _find_faults(parameters: Parameters, now: _Situation) -> dict[str, str]:
    """Return the reasons why parameters cannot be used, by the names of the parameters; empty if all can be used."""
    try:
        require_parameters(parameters)
    except InputError as error:
        return {error.field.removeprefix("parameters."): _capital(error.reason)}
    return {name: f"{why}." for name, why in fit_parameters(parameters, now.provider, now.profile)[1].items()}


def _describe_form(now: _Situation, scope: ParameterTarget, number: int) -> ParametersFormView:
    takes = list_taken(now.provider, now.profile)
    lacks = [NOUNS[name] for name in NAMES if name not in takes]
    most = now.profile.max_output_tokens
    layers = now.layers
    others = describe_retries(layers.retry_policy, layers.retry_limits) + describe_choices(layers.middleware)
    return ParametersFormView(
        scope=scope,
        texts=write_parameters(now.set_in(scope)),
        instead=_describe_instead(now, scope),
        takes=takes,
        lacks=f"{now.profile.name} does not support {_join(lacks)}." if lacks else "",
        limit="" if most is None else f"At most {most:,}.",
        retry_policy=now.layers.retry_policy.value,
        retry_texts=write_retry_limits(now.layers.retry_limits),
        **_write_choices(now.layers.middleware),
        is_set=bool(list_set(now.set_in(scope))) or (scope is ParameterTarget.CONVERSATION and others != ""),
        number=number,
    )


def _describe_instead(now: _Situation, scope: ParameterTarget) -> ParameterTexts:
    """Describe for each field the value that is used if the field is empty.

    This is the value of the conversation, of its agent, or the model's default.
    """
    own = now.layers.conversation if scope is ParameterTarget.SEND else NO_PARAMETERS
    merged: Mapping[str, Any] = dict(list_set(merge_parameters(own, now.layers.agent)))

    def describe(name: str) -> str:
        if name not in merged:
            return "Model default"
        source = "Conversation" if getattr(own, name) is not None else now.agent
        value = str(merged[name]) if name == "seed" else describe_value(merged[name])
        return f"{source}: {value}"

    return ParameterTexts(**{name: describe(name) for name in NAMES})


def _join(nouns: list[str]) -> str:
    """Join nouns with commas and "or".

    >>> _join(["seed"]), _join(["temperature", "top_p", "seed"])
    ('seed', 'temperature, top_p or seed')
    """
    return nouns[0] if len(nouns) == 1 else f"{', '.join(nouns[:-1])} or {nouns[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
