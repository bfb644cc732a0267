"""Models as shown: their abilities, and the line in the menu."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.providers.base import ListedModel
from app.providers.models.profiles import build_profile
from app.views.settings.model import describe_in_short, describe_model
from tests.providers.playing import a_provider

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("provider", "name", "structured", "caches", "line"),
    [
        ("anthropic", "claude-sonnet-4-5", True, True, "200k · $3/$15 · JSON · cache"),
        ("anthropic", "claude-3-5-haiku-latest", False, True, "200k · $0.80/$4 · cache"),
        ("openai", "gpt-4o", True, True, "128k · $2.50/$10 · JSON · cache"),
        ("deepseek", "deepseek-chat", False, True, None),
        ("mistral", "mistral-large-latest", True, False, None),
        ("llamacpp", "nobody-knows-me", True, False, "free · JSON"),
    ],
)
def test_a_model_says_whether_it_takes_a_schema_and_caches_prompts(
    provider: str, name: str, structured: bool, caches: bool, line: str | None
) -> None:
    profile = build_profile(a_provider(provider), ListedModel(name), NOW)

    abilities = describe_model(profile).abilities

    assert (abilities.structured, abilities.supports_caching) == (structured, caches)
    assert line is None or describe_in_short(profile) == line
