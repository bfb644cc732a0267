"""Parameters that a model accepts, over the three protocols, and the report of the others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parameters import NAMES
from app.domain.errors import InputError
from app.domain.models.model_profile import ModelProfile
from app.providers.base import ListedModel
from app.providers.models.fitting import describe_left_out, find_refusal, fit_parameters, list_taken, require_taken
from app.providers.models.profiles import build_profile
from tests.providers.playing import a_provider

NOW = datetime(2026, 11, 1, tzinfo=UTC)
NOTHING: tuple[str, ...] = ()


def profile_of(provider: str, name: str) -> ModelProfile:
    return build_profile(a_provider(provider), ListedModel(name), NOW)


@pytest.mark.parametrize(
    ("provider", "name", "lacks"),
    [
        ("anthropic", "claude-sonnet-4-5", ("seed",)),
        ("anthropic", "claude-opus-4-7", ("temperature", "top_p", "seed")),
        ("anthropic", "claude-3-5-haiku-latest", ("seed", "effort", "thinking")),
        ("openai", "gpt-5", ("temperature", "top_p", "seed")),
        ("openai", "gpt-4o", ("seed", "effort", "thinking")),
        ("google", "gemini-2.5-pro", ("seed", "thinking")),
        ("groq", "openai/gpt-oss-120b", ("thinking",)),
        ("deepseek", "deepseek-reasoner", ("seed", "effort", "thinking")),
        ("llamacpp", "nobody-knows-me", NOTHING),
        ("offline", "demo", NOTHING),
    ],
)
def test_a_model_takes_what_its_protocol_and_its_family_take(provider: str, name: str, lacks: tuple[str, ...]) -> None:
    taken = list_taken(a_provider(provider), profile_of(provider, name))

    assert taken == tuple(name for name in NAMES if name not in lacks)


def test_default_that_the_model_rejects_is_left_out_and_reported() -> None:
    profile = profile_of("openai", "gpt-5")
    usual = Parameters(temperature=0.2, seed=7, effort=Effort.LOW)

    fitted, left_out = fit_parameters(usual, a_provider("openai"), profile)

    assert fitted == Parameters(effort=Effort.LOW)
    assert describe_left_out("Reviewer", left_out) == (
        f"{profile.name} does not support the temperature: the value of Reviewer is left out.",
        "OpenAI does not support a seed: the value of Reviewer is left out.",
    )


def test_a_schema_is_nothing_to_be_left_out() -> None:
    asked = Parameters(temperature=0.2, reply_schema='{"type":"object"}')

    fitted, _ = fit_parameters(asked, a_provider("openai"), profile_of("openai", "gpt-5"))

    assert fitted == replace(asked, temperature=None)


@pytest.mark.parametrize(
    ("asked", "field", "why"),
    [
        (Parameters(temperature=1.5), "temperature", "Anthropic supports a temperature from 0 to 1"),
        (Parameters(max_output_tokens=64_001), "max_output_tokens", "writes at most 64,000 tokens"),
        (Parameters(seed=1), "seed", "Anthropic does not support a seed"),
    ],
)
def test_what_is_asked_of_a_send_is_refused_by_its_name(asked: Parameters, field: str, why: str) -> None:
    provider, profile = a_provider("anthropic"), profile_of("anthropic", "claude-sonnet-4-5")

    assert why in find_refusal(field, asked, provider, profile)
    with pytest.raises(InputError, match="Leave it out, or choose another model") as refused:
        require_taken(asked, provider, profile)
    assert refused.value.field == f"parameters.{field}"
    require_taken(Parameters(temperature=1.0, max_output_tokens=64_000, thinking=True), provider, profile)
