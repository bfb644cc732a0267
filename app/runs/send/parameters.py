"""The parameters of the next send: their values, their sources, and the values that the model does not accept.

layers = Layers(Parameters(seed=1), conversation.parameters)
list_settings(layers, provider, profile)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices
from app.domain.conversation.parameters import NO_PARAMETERS, Source, trace_parameters
from app.domain.models.model_profile import ModelProfile
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy
from app.providers.base import Provider
from app.providers.models.fitting import fit_parameters
from app.views.composer.parameters import SettingView, show_choices, show_retries, show_setting


@dataclass(frozen=True, slots=True)
class Layers:
    """The parameters of the next send by source: the send itself, the conversation and its agent.

    `retry_policy`, `retry_limits` and `middleware` are those of the conversation.
    """

    send: Parameters = NO_PARAMETERS
    conversation: Parameters = NO_PARAMETERS
    agent: Parameters = NO_PARAMETERS
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL
    retry_limits: RetryLimits = USUAL_RETRIES
    middleware: MiddlewareChoices = USUAL_MIDDLEWARE


def list_settings(layers: Layers, provider: Provider, profile: ModelProfile) -> tuple[SettingView, ...]:
    """List every parameter that is set, in the order of the screen."""
    refused: Mapping[Source, Mapping[str, str]] = {
        Source.SEND: fit_parameters(layers.send, provider, profile)[1],
        Source.CONVERSATION: fit_parameters(layers.conversation, provider, profile)[1],
        Source.AGENT: fit_parameters(layers.agent, provider, profile)[1],
    }
    traced = trace_parameters(layers.send, layers.conversation, layers.agent)
    shown = tuple(show_setting(one, refused[one.source].get(one.name, "")) for one in traced)
    retries = show_retries(layers.retry_policy, layers.retry_limits)
    return (*shown, *retries, *show_choices(layers.middleware))
