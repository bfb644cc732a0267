"""The names of models for people: those of the menu of models, distinct within one list."""

from __future__ import annotations

import pytest

from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER


async def test_models_have_the_names_of_the_menu_and_unknown_ones_their_ids(ctx: AppContext) -> None:
    models = ("offline:demo", "anthropic:claude-sonnet-4-5", "gone:model", "no-colon", "offline:")

    async with ctx.store.read() as session:
        names = await ctx.catalogue.load_names(session, LOCAL_OWNER, models)
        _, sonnet = await ctx.catalogue.recognise(session, LOCAL_OWNER, models[1])
        _, gone = await ctx.catalogue.recognise(session, LOCAL_OWNER, models[2])

    assert list(names.values()) == ["Offline demo", sonnet.name, gone.name, "no-colon", "offline:"]
    assert sonnet.name != models[1]


async def test_equal_names_in_one_list_say_their_providers(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    def name_of(owner: str, model: str) -> str:
        return f"{owner} demo" if "tiny" in model else "GPT-5"

    monkeypatch.setattr(ctx.catalogue, "name_of", name_of)

    assert ctx.catalogue.names_of(LOCAL_OWNER, ("openai:gpt-5", "openrouter:openai/gpt-5", "offline:tiny")) == {
        "openai:gpt-5": "GPT-5 (openai)",
        "openrouter:openai/gpt-5": "GPT-5 (openrouter)",
        "offline:tiny": f"{LOCAL_OWNER} demo",
    }


async def test_equal_names_of_one_provider_say_its_names_of_the_models(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name_of(_owner: str, _model: str) -> str:
        return "GPT-5"

    monkeypatch.setattr(ctx.catalogue, "name_of", name_of)

    assert ctx.catalogue.names_of(LOCAL_OWNER, ("openai:gpt-5", "openai:gpt-5-2025-08-07", "groq:gpt-5")) == {
        "openai:gpt-5": "GPT-5 (gpt-5)",
        "openai:gpt-5-2025-08-07": "GPT-5 (gpt-5-2025-08-07)",
        "groq:gpt-5": "GPT-5 (groq)",
    }
