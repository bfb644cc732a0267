"""The page `docs/providers.md`: fields read from every vendor, by the corpus, and fields sent, by real requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import orjson

from app.domain.cache.rules import FIVE_MINUTES
from app.domain.cache.warmth import Breakpoint
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Text, Thinking
from app.domain.errors import InputError
from app.domain.models.model_profile import ThinkingStyle
from app.domain.request.request import Request, RequestMessage
from app.providers.base import Provider, encode
from tests.dialects.corpus import CASES, NAMES, Json, read_dialect
from tests.providers.playing import a_profile

ASKED: Final = {
    "output limit": Parameters(max_output_tokens=100),
    "seed": Parameters(seed=7),
    "thinking on": Parameters(thinking=True),
    "thinking off": Parameters(thinking=False),
    "schema": Parameters(reply_schema='{"type":"object","properties":{},"additionalProperties":false}'),
}
STREAMS: Final = "../tests/dialects/streams"
FOREIGN_STREAMS: Final = "../tests/dialects/foreign"


def describe_providers() -> str:
    """Return the text of the page."""
    dialects = [read_dialect(name) for name in NAMES]
    notes: list[str] = []
    read: list[list[str]] = []
    for name, dialect in zip(NAMES, dialects, strict=True):
        cells = [f"[{dialect.provider.row.label}]({STREAMS}/{name}.toml)"]
        for case in CASES:
            if case in dialect.cases:
                cells.append("yes")
            else:
                notes.append(dialect.absent[case])
                cells.append(f"no ({len(notes)})")
        read.append(cells)
    sent = [[each.provider.row.label, *_describe_sent(each.provider)] for each in dialects]
    return (
        "# What is read of providers, and what is sent to them\n\n"
        "Generated from `tests/dialects/streams/` and `app/providers/` by `make docs`.\n\n"
        "## Read\n\n"
        "Each name leads to the streams of the vendor and to the documentation that shows their shape. Each `yes` is a "
        "stream, and the test `tests/dialects/test_corpus.py::test_a_stream_says_what_its_vendor_means[vendor-case]` "
        "says what must be read of it.\n\n"
        f"{_table(['vendor', *CASES], read)}\n\n"
        f"{''.join(f'{number}. {note}{chr(10)}' for number, note in enumerate(notes, 1))}\n"
        f"Google's own protocol ([streams]({FOREIGN_STREAMS}/google.toml)) is not spoken. A server that answers in it, "
        "whichever of the vendors it is set up as, ends the reply in an error that says so and names the address where "
        "Google speaks Chat Completions. The words and calls are kept, and nothing is counted "
        "(`tests/dialects/test_foreign.py`).\n\n"
        "## Sent\n\n"
        "Each cell names the fields of the request that change when the setting is used, as a request to that vendor "
        "really has them; `tests/docs/test_generated.py` compares them with this page. A setting that the vendor does "
        "not take is refused with a sentence. The cache plan sets breakpoints for the vendors that take them.\n\n"
        f"{_table(['vendor', *ASKED, 'cache breakpoint', 'reasoning of earlier replies'], sent)}\n"
    )


def _describe_sent(provider: Provider) -> Iterator[str]:
    plain = _send(provider, Parameters())
    for parameters in ASKED.values():
        try:
            body = _send(provider, parameters)
        except InputError:
            yield "refused"
        else:
            yield _list_changed(plain, body)
    yield _list_changed(plain, _send(provider, Parameters(), marks=(Breakpoint(2, FIVE_MINUTES),)))
    back = _send(provider, Parameters(), thought=provider.name)
    said = orjson.dumps(back.get("messages") or back.get("input")).decode()
    yield "goes back" if "Let me see." in said else "stays here"


def _list_changed(plain: Json, body: Json) -> str:
    changed = [field for field, value in body.items() if plain.get(field) != value]
    return ", ".join(f"`{field}`" for field in changed) or "nothing"


def _send(
    provider: Provider, parameters: Parameters, thought: str | None = None, marks: tuple[Breakpoint, ...] = ()
) -> Json:
    """Return the body of a request whose earlier reply may have thinking of this vendor."""
    earlier = (Thinking("Let me see.", "rs_1:sig", thought), Text("Hi")) if thought else (Text("Hi"),)
    messages = (
        RequestMessage("user", (Text("Hello"),)),
        RequestMessage("assistant", earlier),
        RequestMessage("user", (Text("Go on"),)),
    )
    model = f"{provider.name}:some-model"
    profile = replace(a_profile(model), thinking=ThinkingStyle.ADAPTIVE, structured=True)
    return orjson.loads(encode(provider, Request(model, "", messages, parameters, ()), profile, {}, marks).body)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
