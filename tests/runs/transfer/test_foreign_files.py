"""Faulty and foreign files: the error names the place of the fault or the kind of file, and nothing is stored."""

from __future__ import annotations

from collections.abc import Callable

import orjson
import pytest
from sqlalchemy import func, select

from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.transfer.import_file import FaultError
from app.runs.transfer.importing import import_file
from app.runs.trash.trash import list_trash
from app.store.conversation.rows import CONVERSATION, PAIR
from tests.runs.exchange import PAIR_BY_HAND, bring_back, export

EXTRA_COMMA = b'{"title":"T","model":"offline:demo","pairs":[{"user_text":"a","reply_text":"b"},]}'
GOOD = EXTRA_COMMA.replace(b",]", b"]")
FOREIGN = orjson.dumps(
    [
        {
            "title": "Old",
            "mapping": {
                "r": {"id": "r", "parent": None, "children": ["m"], "message": None},
                "m": {
                    "id": "m",
                    "parent": "r",
                    "children": [],
                    "message": {
                        "author": {"role": "user"},
                        "content": {"content_type": "text", "parts": ["hi"]},
                    },
                },
            },
        }
    ]
)


async def an_export(ctx: AppContext, pairs: int) -> bytes:
    body = {"title": "Long", "pairs": [PAIR_BY_HAND | {"user_text": f"Hi {number}"} for number in range(pairs)]}
    (conversation_id,) = await bring_back(ctx, orjson.dumps(body))
    return await export(ctx, conversation_id)


async def count_rows(ctx: AppContext) -> list[int]:
    async with ctx.store.read() as session:
        asked = [select(func.count()).select_from(table) for table in (CONVERSATION, PAIR)]
        return [(await session.execute(query)).scalar_one() for query in asked]


def half_of(body: bytes) -> bytes:
    """Cut an export of 200 pairs within the request of its hundredth pair."""
    return body[: body.index(b"Hi 100") + 2]


def with_nine_stars(body: bytes) -> bytes:
    whole = orjson.loads(body)
    whole["conversations"][0]["pairs"][-1]["stars"] = 9
    return orjson.dumps(whole)


@pytest.mark.parametrize(
    ("file", "place", "reason"),
    [
        (EXTRA_COMMA, "$.pairs[1]", "is not JSON"),
        (GOOD.decode().encode("utf-16"), "$", "UTF-16"),
        (FOREIGN, "$", "is not Inview's format but looks like an export of ChatGPT"),
        (half_of, "$", "begins before byte"),
        (GOOD.replace(b'"a"', b'"half \\ud83d smile"'), "$.pairs[0]", "no low surrogate in string"),
        (with_nine_stars, "$.conversations[0].pairs[199].stars", "less than or equal to 3"),
    ],
    ids=[
        "a comma too many",
        "UTF-16",
        "of another product",
        "half of an export",
        "half a character",
        "a fault in the last of 200 pairs",
    ],
)
async def test_file_that_is_refused_names_its_fault_and_nothing_of_it_is_left(
    ctx: AppContext, other: AppContext, file: bytes | Callable[[bytes], bytes], place: str, reason: str
) -> None:
    body = file if isinstance(file, bytes) else file(await an_export(other, 200))

    with pytest.raises(FaultError) as caught:
        await import_file(ctx, LOCAL_OWNER, body)

    assert caught.value.field == place
    assert reason in caught.value.reason
    assert await count_rows(ctx) == [0, 0]
    assert (await list_trash(ctx, LOCAL_OWNER, limit=9)).entries == ()


async def test_same_file_without_the_comma_is_taken_also_with_the_mark_that_editors_put_first(ctx: AppContext) -> None:
    (imported,) = await import_file(ctx, LOCAL_OWNER, b"\xef\xbb\xbf" + GOOD)

    assert (imported.title, imported.pair_count) == ("T", 1)
    assert await count_rows(ctx) == [1, 1]
