"""The page shows of a conversation what the API returns for it."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest

from app.domain.settings.preferences import Preferences
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.settings.preference_commands import set_preferences
from app.views.reply.pair import ScreenPairView
from tests.api.served import Api
from tests.api.stored import store_pairs
from tests.api.talk import answered, create_conversation
from tests.runs.watch.page import a_page


def told(value: Any) -> Any:
    """Convert a value to JSON and back."""
    return orjson.loads(orjson.dumps(value))


HEADS = {
    "tool_call": {"type", "tool_call_id", "name", "input_json", "status"},
    "tool_result": {"type", "tool_call_id", "is_error"},
}
"""Fields of these parts that page and API share; the page loads the rest when a person opens the part."""
AROUND = {"asked", "begins", "switched", "nodes", "read", "unread", "form", "model_name", "made_at", "out_for"}
"""Fields that only the page has: the surroundings of a pair, its parameters as a text, its reply as JSON, whether its
request can be read and how it is shown, the name of its model, when the shown version was made, and which of several
models do not get it.
Of a failure also its label, the steps that it offers and the recovered part of the reply, which the API describes in
words.
"""


def expected_of(pair: dict[str, Any], shown: dict[str, Any]) -> dict[str, Any]:
    """Convert a pair of the API to the page's form: without its joined reply, times and failures as written."""
    error, usage, secrets = pair["error"], pair["usage"], pair["redacted"] or pair["secrets"]
    named = {
        "error": error
        and {"error_class": error["class"], "message": error["message"], "next_step": error["next_step"]},
        "parts": [head_of({**part, "status": part.get("state")}) for part in pair["parts"]],
        "spent": usage and f"{usage['output_tokens']:,} written",
        "kept_back": f"{sum(one['count'] for one in secrets)} redacted" if secrets else None,
    }
    as_written = {**pair, **named, "updated_at": shown["updated_at"]}
    return {name: value for name, value in as_written.items() if name in shown}


def on_the_page(view: dict[str, Any]) -> dict[str, Any]:
    """Reduce a pair of the page to the part that the API has, too."""
    written = view["spent"] and re.search(r"output ([\d,]+) tokens", view["spent"]["title"])
    spent = written and f"{written[1]} written"
    own = {"label", "steps", "recovered"}
    error = view["error"] and {name: value for name, value in view["error"].items() if name not in own}
    kept_back = view["kept_back"] and view["kept_back"]["text"]
    parts = [head_of(part) for part in view["parts"]]
    shown = {**view, "parts": parts, "spent": spent, "error": error, "kept_back": kept_back}
    return {name: value for name, value in shown.items() if name not in AROUND}


def head_of(part: dict[str, Any]) -> dict[str, Any]:
    names = HEADS.get(part["type"], part.keys() - {"status"})
    return {name: value for name, value in part.items() if name in names}


@pytest.mark.parametrize(
    "options",
    [ViewOptions(), ViewOptions(filter="r3"), ViewOptions(filter="s>=1 !b"), ViewOptions(model="offline:tiny")],
)
async def test_a_page_shows_what_the_api_says(api: Api, options: ViewOptions) -> None:
    conversation_id = await create_conversation(api, model="offline:demo")
    (first, *_) = await store_pairs(api, conversation_id, 4)
    await api.http.patch(f"/pairs/{first.id}", json={"stars": 2, "flagged": True})
    for text in ("/think 5 /long 5 /rate 0", "/fail auth", '/tool clock {"zone": "UTC"}'):
        await answered(api, conversation_id, text)

    async with a_page(api.ctx, conversation_id, options=options, draft="A draft.") as page:
        screen = await page.until_known()
    asked = {"filter": options.filter, "model": options.model, "draft": "A draft."}
    answer = await api.http.get(
        f"/conversations/{conversation_id}/pairs", params={name: value for name, value in asked.items() if value}
    )
    said = answer.json()

    context = told(screen.context)
    assert context["description"] == said["sentence"]
    for name in ("x", "y", "estimate", "notices", "boundary", "boundary_reason", "prelude", "secrets"):
        assert context[name] == said[name], name
    shown = told(screen.pairs)
    assert [pair["id"] for pair in shown] == [pair["id"] for pair in said["items"]]
    found = [on_the_page(view) for view in shown]
    assert found == [expected_of(pair, view) for pair, view in zip(said["items"], found, strict=True)]


async def test_a_page_that_looked_all_the_time_shows_what_one_shows_that_is_opened_now(api: Api) -> None:
    conversation_id = await create_conversation(api, model="offline:demo")
    await store_pairs(api, conversation_id, 3)

    async with a_page(api.ctx, conversation_id) as page:
        await page.until_known()
        pair = await answered(api, conversation_id)
        await api.http.patch(f"/pairs/{pair['id']}", json={"stars": 1})
        await set_preferences(api.ctx, LOCAL_OWNER, Preferences(titles=False))
        await answered(api, conversation_id, "/fail auth")
        long_open = await page.settle()
    async with a_page(api.ctx, conversation_id) as page:
        await page.until_known()
        fresh = await page.settle()

    assert long_open.context == fresh.context
    assert long_open.pairs == fresh.pairs
    assert all(isinstance(view, ScreenPairView) for view in fresh.pairs)
