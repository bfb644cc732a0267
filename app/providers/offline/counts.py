"""Counts the input tokens of a request to the offline provider, from the body, with OpenAI's vocabulary.

A request counts as three tokens and each message as four, in addition to their contents; the system text is a message.
The contents are all texts, tool calls and results, the tool definitions and the schema of the reply. A picture counts
as for GPT-4o; a file counts as its name. `families.py` and `tool_sizes.py` estimate by the same rules.

The tokens of the answer are counted differently (`script.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from app.domain.tokens.images import ImageRule, count_image
from app.providers.counts.token_counts import count_texts
from app.providers.counts.vocabularies import O200K

PER_REQUEST = 3
PER_MESSAGE = 4


async def count_input(body: dict[str, Any]) -> int:
    """Return the number of input tokens of a request, from its body."""
    texts = [*_list_texts(body)]
    messages = len(body["messages"]) + bool(body["system"])
    pictures = sum(
        count_image(ImageRule.OPENAI_85_170, part["width"], part["height"])
        for part in _list_parts(body)
        if "width" in part
    )
    return PER_REQUEST + PER_MESSAGE * messages + pictures + sum(await count_texts(O200K, texts))


def _list_texts(body: dict[str, Any]) -> Iterator[str]:
    yield body["system"]
    for part in _list_parts(body):
        match part:
            case {"tool_call": _, "name": name, "input": arguments}:
                yield f"{name} {arguments}"
            case {"text": text} | {"thinking": text}:
                yield text
            case {"name": name}:
                yield name
            case _:
                pass
    yield from (orjson.dumps(tool).decode() for tool in body["tools"])
    if "schema" in body:
        yield orjson.dumps(body["schema"]).decode()


def _list_parts(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in body["messages"]:
        for part in message["parts"]:
            yield part
            yield from part.get("content", ())
