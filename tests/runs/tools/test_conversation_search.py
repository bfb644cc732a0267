"""The tool by which a model searches its user's other conversations."""

from __future__ import annotations

from typing import Any

from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.conversation.parts import Text
from app.domain.privacy.redaction import redact_text
from app.domain.settings.preferences import Preferences
from app.domain.tools.tools import Caller
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.conversation.forks import fork_from
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import set_preferences
from tests.runs.steps import a_conversation, reply_to


def ignore(done: float, total: float | None, words: str) -> None:
    """Ignore the progress: the test has no page."""


async def search(ctx: AppContext, conversation_id: str = "", **arguments: Any) -> str:
    tool = ctx.toolbox.find(LOCAL_OWNER, "search_conversations")
    assert tool is not None
    caller = Caller(LOCAL_OWNER, conversation_id)
    outcome = await ctx.toolbox.call(tool, arguments, caller=caller, progress=ignore, timeout=10)
    (told,) = outcome.content
    assert isinstance(told, Text)
    return told.text


async def test_words_are_found_in_titles_requests_and_replies_whatever_their_case(ctx: AppContext) -> None:
    first = await a_conversation(ctx, title="Power")
    await reply_to(ctx, first, "/echo The night Tariff is lower " + "and lower " * 30)
    second = await a_conversation(ctx, title="Tariffs of 2027")
    other = await a_conversation(ctx, title="Magnets")
    await reply_to(ctx, other, "/echo Iron and nickel")

    told = await search(ctx, query="tariff*")

    assert [line for line in told.splitlines() if line.startswith("“")] == [
        line for line in told.splitlines() if f"/c/{first}," in line or f"/c/{second}," in line
    ]
    assert "- pair 1: /echo The night Tariff is lower and lower" in told
    assert told.count("…") == 1
    assert other not in told


async def test_what_is_in_the_trash_in_this_conversation_or_nowhere_is_not_found(ctx: AppContext) -> None:
    gone = await a_conversation(ctx, title="Tariff 1")
    here = await a_conversation(ctx, title="Tariff 2")
    await delete_conversation(ctx, LOCAL_OWNER, gone)

    assert await search(ctx, here, query="tariff") == "No other conversation has “tariff” in its title or text."
    assert here in await search(ctx, query="TARIFF", limit=1)
    assert "Give the words" in await search(ctx, query="  ")


async def test_excerpts_have_no_part_of_a_secret_if_secrets_are_replaced(ctx: AppContext) -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    for before in range(20, 240, 9):
        conversation = await a_conversation(ctx, title="Keys")
        await reply_to(ctx, conversation, f"/echo tariff {'x' * before} {key} rest")
    await set_preferences(ctx, LOCAL_OWNER, Preferences(redact=True))
    here = await a_conversation(ctx)

    told = await search(ctx, here, query="tariff", limit=20)

    assert "AKIA" not in told
    assert "[redacted" in told
    await change_conversation(ctx, LOCAL_OWNER, here, SettingChanges(middleware=MiddlewareChoices(redaction=False)))
    assert key in await search(ctx, here, query="tariff", limit=20)


async def test_names_of_forks_have_no_part_of_a_secret(ctx: AppContext) -> None:
    """The name of a fork is the beginning of its first request, or of the title, and it is sent."""
    key = "AKIAIOSFODNN7EXAMPLE"
    for before in (*range(120, 150, 7), *range(262, 279, 5)):
        text = f"tariff {'x' * (before - 8)} {key} rest {'and more ' * 30}"
        conversation = await a_conversation(ctx, title=text[: before + 22] if before > 200 else "")
        await reply_to(ctx, conversation, f"/echo {text}")
        await fork_from(ctx, LOCAL_OWNER, conversation)
    await set_preferences(ctx, LOCAL_OWNER, Preferences(redact=True))

    told = await search(ctx, await a_conversation(ctx), query="tariff", limit=20)

    assert told.count("“Fork of ") == 9
    assert "AKIA" not in redact_text(told).text
