"""Which of usual parameters a model takes: what its protocol refuses is left out, and that is said.

    fit_parameters(Parameters(temperature=0.2, seed=7), provider, profile)
    → (Parameters(temperature=0.2), ("seed",))

For what an agent asks of every model alike. What a person asks for in a send is never left out: it is refused there.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache

from app.domain.conversation import Parameters
from app.domain.errors import InputError
from app.domain.model_profile import ModelProfile
from app.domain.parts import Text
from app.domain.request import Request, RequestMessage
from app.providers.base import Provider, encode

SAMPLING = ("temperature", "top_p")
NO_PARAMETERS = Parameters()
_WORDS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_output_tokens": "limit of output tokens",
    "seed": "seed",
    "effort": "effort",
    "thinking": "switch for thinking",
}
_HELLO = (RequestMessage("user", (Text("Hello"),)),)


def fit_parameters(usual: Parameters, provider: Provider, profile: ModelProfile) -> tuple[Parameters, tuple[str, ...]]:
    """The parameters that this model takes, and the names of those left out."""
    if usual == NO_PARAMETERS:
        return usual, ()
    return _fit(usual, replace(provider, key=None), profile)


def describe_left_out(name: str, left_out: tuple[str, ...], profile: ModelProfile) -> tuple[str, ...]:
    """What is said of it, in plain words."""
    return tuple(f"{profile.name} takes no {_WORDS[one]}: that of {name} is left out." for one in left_out)


@lru_cache(maxsize=256)
def _fit(usual: Parameters, provider: Provider, profile: ModelProfile) -> tuple[Parameters, tuple[str, ...]]:
    named = [field.name for field in fields(usual) if getattr(usual, field.name) is not None]
    left_out = tuple(name for name in named if not _takes(name, usual, provider, profile))
    return replace(usual, **dict.fromkeys(left_out)), left_out


def _takes(name: str, usual: Parameters, provider: Provider, profile: ModelProfile) -> bool:
    if name in SAMPLING and not profile.sampling:
        return False
    alone = replace(NO_PARAMETERS, **{name: getattr(usual, name)})
    try:
        encode(provider, Request(profile.model, "", _HELLO, alone), profile, {})
    except InputError:
        return False
    return True
