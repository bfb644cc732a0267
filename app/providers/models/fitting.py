"""Finds the parameters that a model accepts, by its protocol and its profile.

    find_refusal("seed", Parameters(seed=7), provider, profile)      # "Anthropic takes no seed"
    fit_parameters(Parameters(temperature=0.2, seed=7), provider, profile)
    → (Parameters(temperature=0.2), {"seed": "Anthropic takes no seed"})

Parameters of a conversation or an agent are for all models: those that a model does not accept are left out, with a
warning. A parameter of a send is never left out: the send is refused instead. A JSON schema of the reply is not checked
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parameters import NAMES, NO_PARAMETERS, NOUNS, list_set
from app.domain.conversation.parts import Text
from app.domain.errors import InputError
from app.domain.models.model_profile import ModelProfile, takes_thinking
from app.domain.request.request import Request, RequestMessage
from app.providers.base import Provider, encode

SAMPLING = ("temperature", "top_p")
_THINKING = ("effort", "thinking")
_ALL = Parameters(temperature=1.0, top_p=1.0, max_output_tokens=1, seed=1, effort=Effort.LOW, thinking=True)
"""For each parameter, a test value: a model that accepts the parameter at all accepts this value."""
_HELLO = (RequestMessage("user", (Text("Hello"),)),)


def fit_parameters(
    usual: Parameters, provider: Provider, profile: ModelProfile
) -> tuple[Parameters, Mapping[str, str]]:
    """Split the parameters of a conversation or an agent (`usual`) by whether this model accepts them.

    Return the accepted parameters, and the names of the others, each with the reason why the model does not accept
    it.
    """
    if not list_set(usual):
        return usual, {}
    refused = _refusals(replace(usual, reply_schema=None), replace(provider, key=None), profile)
    return replace(usual, **dict.fromkeys(refused)), refused


def find_refusal(name: str, parameters: Parameters, provider: Provider, profile: ModelProfile) -> str:
    """Return the reason why the model does not accept a parameter, without a full stop; "" if it is accepted."""
    return fit_parameters(parameters, provider, profile)[1].get(name, "")


def list_taken(provider: Provider, profile: ModelProfile) -> tuple[str, ...]:
    """Return the names of the parameters that the model accepts, ordered as the screen shows them."""
    refused = _refusals(_ALL, replace(provider, key=None), profile)
    return tuple(name for name in NAMES if name not in refused)


def require_taken(parameters: Parameters, provider: Provider, profile: ModelProfile) -> None:
    """Check that the model accepts all these parameters.

    Raises:
        InputError: it does not accept one. The error names the first such parameter and the next step.
    """
    for name, why in fit_parameters(parameters, provider, profile)[1].items():
        raise InputError(f"parameters.{name}", f"{why}. Leave it out, or choose another model.")


def describe_left_out(name: str, left_out: Mapping[str, str]) -> tuple[str, ...]:
    """Return a warning for each parameter that is left out.

    `name` names the owner of the parameters, such as an agent.
    """
    return tuple(f"{why}: the value of {name} is left out." for why in left_out.values())


@lru_cache(maxsize=256)
def _refusals(parameters: Parameters, provider: Provider, profile: ModelProfile) -> Mapping[str, str]:
    found = ((name, _refusal(name, parameters, provider, profile)) for name, _ in list_set(parameters))
    return {name: why for name, why in found if why}


def _refusal(name: str, parameters: Parameters, provider: Provider, profile: ModelProfile) -> str:
    none = f"{profile.name} does not support the {NOUNS[name]}"
    if name in SAMPLING and not profile.sampling:
        return none
    if name in _THINKING and provider.row.protocol != "offline" and not takes_thinking(profile):
        return none
    most = profile.max_output_tokens
    if name == "max_output_tokens" and most is not None and (parameters.max_output_tokens or 0) > most:
        return f"{profile.name} writes at most {most:,} tokens"
    alone = replace(NO_PARAMETERS, **{name: getattr(parameters, name)})
    try:
        encode(provider, Request(profile.model, "", _HELLO, alone), profile, {})
    except InputError as error:
        return error.reason.rstrip(".")
    return ""
