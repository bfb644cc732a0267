"""The form of the model parameters: what its dialog shows, and the values that it sends.

    form = describe_parameters_form(sources, ParameterTarget.SEND, number=0)
    form.instead.temperature          # "Conversation: 0.2"

The dialog itself is in `parameters.py`, the conversion of a field's text in `conversation/parameter_texts.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices, describe_choices
from app.domain.conversation.parameters import (
    NAMES,
    NO_PARAMETERS,
    NOUNS,
    describe_value,
    list_set,
    merge_parameters,
    require_parameters,
)
from app.domain.errors import InputError
from app.domain.models.model_profile import ModelProfile
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy, describe_retries
from app.providers.base import Provider
from app.providers.models.fitting import fit_parameters, list_taken
from app.runs.send.parameters import Layers, list_settings
from app.state.conversation.parameter_texts import (
    RETRY_LIMITS,
    ParameterTexts,
    RetryTexts,
    write_parameters,
    write_retry_limits,
)
from app.state.tab.inputs import text_in
from app.views.composer.parameters import SettingView

MAX_TYPED: Final = 40
"""Maximum number of characters in the field of a parameter."""
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
class ParameterSources:
    """All data that determines the parameters of the next send."""

    conversation_id: str
    provider: Provider
    profile: ModelProfile
    layers: Layers
    agent: str

    def set_in(self, scope: ParameterTarget) -> Parameters:
        """Return the parameters that are set in this scope."""
        return self.layers.send if scope is ParameterTarget.SEND else self.layers.conversation

    @property
    def settings(self) -> tuple[SettingView, ...]:
        """Return the parameters of the next send as they are shown."""
        return list_settings(self.layers, self.provider, self.profile)


def scope_in(value: object) -> ParameterTarget | None:
    """Return the scope that a form or an event names, None if it is invalid."""
    return ParameterTarget(value) if value in {each.value for each in ParameterTarget} else None


def policy_in(value: object) -> RetryPolicy | None:
    """Return the retry policy that a form or an event names, None if it is invalid."""
    return RetryPolicy(value) if value in {each.value for each in RetryPolicy} else None


def retries_in(form: object) -> dict[str, str]:
    """Return the limits of retries in a form as texts, by name. The form of the next send has none."""
    if not isinstance(form, dict):
        return {}
    fields = cast("dict[object, object]", form)
    return {name: text for name in RETRY_LIMITS if (text := text_in(fields.get(name), MAX_TYPED)) is not None}


def texts_in(form: object) -> dict[str, str]:
    """Return the parameters in a form as texts, by name. Values that are not text or are too long are left out."""
    if not isinstance(form, dict):
        return {}
    fields = cast("dict[object, object]", form)
    return {name: text for name in NAMES if (text := text_in(fields.get(name), MAX_TYPED)) is not None}


def choices_in(form: Mapping[str, Any]) -> MiddlewareChoices:
    """Return the middleware that the values of the controls in a form choose."""
    return MiddlewareChoices(
        user_context=form.get(USER_CONTEXT) != "false",
        redaction={"true": True, "false": False}.get(str(form.get(REDACTION))),
    )


def write_choices(choices: MiddlewareChoices) -> dict[str, str]:
    """Return the values of the controls for this middleware, by name."""
    redaction = "" if choices.redaction is None else str(choices.redaction).lower()
    return {USER_CONTEXT: "" if choices.user_context else "false", REDACTION: redaction}


def find_parameter_faults(parameters: Parameters, now: ParameterSources) -> dict[str, str]:
    """Return the reasons why parameters cannot be used, by the names of the parameters; empty if all can be used."""
    try:
        require_parameters(parameters)
    except InputError as error:
        return {error.field.removeprefix("parameters."): _capital(error.reason)}
    return {name: f"{why}." for name, why in fit_parameters(parameters, now.provider, now.profile)[1].items()}


def describe_parameters_form(now: ParameterSources, scope: ParameterTarget, number: int) -> ParametersFormView:
    """Return the content of the dialog for this scope. `number`: how often its fields were filled before."""
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
        **write_choices(now.layers.middleware),
        is_set=bool(list_set(now.set_in(scope))) or (scope is ParameterTarget.CONVERSATION and others != ""),
        number=number,
    )


def _describe_instead(now: ParameterSources, scope: ParameterTarget) -> ParameterTexts:
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
