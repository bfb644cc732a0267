"""The promise of Inview, thousands of times: a provider receives exactly the pairs in view that are not OUT.

Each case reads a conversation as a page or a program does (`GET …/pairs`), computes the expected request, sends, and
compares it with the bytes that arrived at the provider. The expected request comes from the shown pairs alone. It uses
none of the code for requests.
"""

from __future__ import annotations

import asyncio
import json
import random
from base64 import b64encode
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from starlette.types import Receive, Scope, Send

from app.domain.attachments.attachments import Attachment
from app.domain.conversation.conversation import Mark, Message, Pair, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Image, Part, Text, TextFile, Thinking
from app.runs.runtime.ids import new_id
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.topics.topic_commands import create_topic
from app.runs.watch.broadcast import follow
from app.store.attachments.attachments import keep_attachments
from app.store.conversation.conversations import insert_conversation, next_revision
from app.store.conversation.pairs import insert_pair
from tests.api.served import Api, serve, serve_api
from tests.domain.attachments.test_attachments import a_png
from tests.effort import EFFORT
from tests.lies.servers import USAGE_LIES, count_honestly, report
from tests.media.test_pictures import a_photo
from tests.seeds import choose_seed
from tests.store.values import a_conversation

CASES = EFFORT.identity // 2
"""Number of cases with middleware, and the same number without."""
SENDS = 25
"""Number of cases of one conversation, which grows by a pair with each."""
AT_ONCE = 8
"""Number of conversations at the same time: no case waits for the disk or network of another."""

SECRETS = {
    "AKIAIOSFODNN7EXAMPLE": "[redacted: AWS access key]",
    "ghp_" + "a1B2" * 9: "[redacted: GitHub token]",
    "password=hunter2-and-more": "password=[redacted: password]",
}
"""Secrets, and the text sent instead, if a person wants that."""
WORDS = (*SECRETS, "plan", "Straße", "ÉTÉ", "100%", "a_b", "it's", '"so"', "汉字", "🙂", "\n", "back\\slash", "x" * 40)
TERMS = (
    *("", "", "b", "g", "in", "out", "!out", "s>=2", "s0", "s3", "r1", "r3", "r7", "e", "!e", "u>9", "u<30"),
    *("d<2d", "d>1h", "d>=2026-01-01", "c'plan'", "c'stra*e'", "m'm'", "m", "m'n*'", "t'AI'", "t'AI...'", "t", "t3"),
    *("o", "o1", "!o", "o3", "!o1", "k", "i", "@good"),
)
MODELS = ("peer:m", "peer:n")
SEES = "peer:n"
"""The only model among them that accepts images."""
PICTURES = tuple(Attachment("image/png", a_png(width, 2)) for width in (1, 2, 3))
TABLES = (TextFile("cities.csv", "city,people\nUlm,128928\n"), TextFile("notes.txt", next(iter(SECRETS))))


class Ear:
    """The provider's end of the network: stores the requests of each conversation, answers in a few words, and lies.

    The usage that it reports is sometimes true. Whatever it reports, the next request is what is in view.
    """

    def __init__(self) -> None:
        self.heard: dict[str, list[bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while (message := await receive()).get("more_body"):
            body += message["body"]
        body += message.get("body", b"")
        if scope["path"] != "/v1/models":
            last = orjson.loads(body)["messages"][-1]["content"]
            text = last if isinstance(last, str) else last[0]["text"]
            self.heard.setdefault(text.split()[0], []).append(body)
        else:
            kinds = {name: ["text", "image"] if name == SEES else ["text"] for name in MODELS}
            listed = [
                {"id": name.partition(":")[2], "architecture": {"input_modalities": kind}}
                for name, kind in kinds.items()
            ]
            answer = json.dumps({"object": "list", "data": listed}).encode()
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": answer})
            return
        chance = random.Random(len(body))
        choice = {"index": 0, "delta": {"content": words(chance)}, "finish_reason": "stop"}
        answer = {"choices": [choice], "usage": some_report(chance, body)}
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send(
            {"type": "http.response.body", "body": b"data: " + json.dumps(answer).encode() + b"\n\ndata: [DONE]\n\n"}
        )


@dataclass
class Bench:
    api: Api
    ear: Ear
    topics: list[str] = field(default_factory=list[str])
    uploads: dict[str, Part] = field(default_factory=dict[str, Part])
    data: dict[str, bytes] = field(default_factory=lambda: {one.id: one.data for one in PICTURES})
    redact: bool = False
    tally: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, what: str, so: object) -> None:
        self.tally[what] = self.tally.get(what, 0) + bool(so)


@dataclass
class Talk:
    """A conversation as a person knows it: its system prompt, and the pairs last seen."""

    id: str
    system: str = ""
    seen: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def open_bench(folder: Path) -> AsyncGenerator[Bench]:
    ear = Ear()
    async with serve(ear) as served, serve_api(folder, INVIEW_COMPATIBLE=f"peer=http://{served.host}/v1") as api:
        topics = [await create_topic(api.ctx, LOCAL_OWNER, path) for path in ("AI", "AI > Planning", "Home")]
        await ok(api.http.put("/filters/good", json={"filter": "s>=1 | b"}))
        await ok(api.http.get("/models"))
        bench = Bench(api, ear, topics, await upload_some(api))
        for one in bench.uploads:
            bench.data[one] = (await api.http.get(f"/attachments/{one}")).content
        yield bench


async def upload_some(api: Api) -> dict[str, Part]:
    """Upload a photo and a text, and return them by their ids."""
    kept: dict[str, Part] = {}
    headers = {"Content-Type": "application/octet-stream"}
    for name, data in (("photo.jpg", a_photo()), (TABLES[0].name, TABLES[0].text.encode())):
        one = await ok(api.http.post("/attachments", params={"name": name}, content=data, headers=headers))
        image = Image(one["id"], one["media_type"], one["width"], one["height"])
        kept[one["id"]] = image if one["kind"] == "image" else TABLES[0]
    return kept


async def ok(answer: Any) -> Any:
    answered = await answer
    assert answered.is_success, answered.text
    return answered.json() if answered.content else None


def some_report(chance: random.Random, body: bytes) -> object:
    """Report usage as a server does that lies three times out of four."""
    if not body:  # a request for its models
        return None
    lie = chance.choice(tuple(USAGE_LIES.values()))
    return (lie if chance.random() < 0.75 else report())(count_honestly(body))


# --- random conversations ---


def words(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randrange(1, 12)))


def some_pair(chance: random.Random, conversation_id: str, position: int, topics: list[str]) -> Pair:
    at = datetime.now(UTC) - timedelta(minutes=chance.randrange(1, 10_000))
    beside = chance.sample((*(picture.part() for picture in PICTURES), *TABLES), chance.choice((0, 0, 0, 1, 2)))
    asked: tuple[Part, ...] = (Text(chance.choice((words(chance), words(chance), "  \n"))), *beside)
    thought = Thinking(words(chance), "signature", chance.choice(("anthropic", "peer"))), Thinking(words(chance))
    replied: tuple[Part, ...] = tuple(chance.sample((Text(words(chance)), Text(" "), Text("…")), chance.randrange(4)))
    # whether thinking alone is sent depends on its vendor
    if any(isinstance(part, Text) and part.text.strip() for part in replied):
        replied = (*chance.sample(thought, chance.randrange(2)), *replied)
    return Pair(
        id=new_id(),
        conversation_id=conversation_id,
        position=position,
        request=Message(new_id(), Role.USER, asked, at),
        reply=Message(new_id(), Role.ASSISTANT, replied, at) if chance.random() < 0.9 else None,
        model=chance.choice(MODELS),
        lifecycle=chance.choice((*[Lifecycle.SUCCEEDED] * 6, Lifecycle.CANCELED)),
        created_at=at,
        updated_at=at,
        topic=chance.choice((None, *topics)),
        stars=chance.randrange(4),
        flagged=chance.random() < 0.3,
        mark=chance.choice((None, None, *Mark)),
    )


async def store_conversation(bench: Bench, chance: random.Random) -> str:
    conversation = a_conversation(new_id(), owner=LOCAL_OWNER)
    async with bench.api.ctx.store.write() as session:
        await insert_conversation(session, conversation)
        revision = await next_revision(session, conversation.id, conversation.updated_at)
        for position in range(1, chance.randrange(1, 10)):
            pair = some_pair(chance, conversation.id, position, bench.topics)
            await insert_pair(session, LOCAL_OWNER, pair, revision)
        await keep_attachments(session, LOCAL_OWNER, conversation.id, PICTURES, conversation.updated_at)
    return conversation.id


async def change_something(bench: Bench, chance: random.Random, talk: Talk) -> None:
    """Do something that a person does between two sends, with the pairs last in view."""
    http, place = bench.api.http, f"/conversations/{talk.id}"
    deed = chance.randrange(8)
    if deed == 0:
        talk.system = words(chance)
        await ok(http.patch(place, json={"system_prompt": talk.system}))
    elif deed == 1:
        await ok(http.patch(place, json={"filter": some_filter(chance)}))
    elif talk.seen and deed == 2:
        await ok(http.delete(f"/pairs/{talk.seen.pop(chance.randrange(len(talk.seen)))}"))
    elif talk.seen and deed == 3:
        pair_id = chance.choice(talk.seen)
        await ok(http.delete(f"/pairs/{pair_id}"))
        await ok(http.post(f"/pairs/{pair_id}/undelete"))
    elif talk.seen:
        marks = {
            "stars": chance.randrange(4),
            "flagged": chance.random() < 0.5,
            "mark": chance.choice((None, "in", "out")),
            "topic_id": chance.choice((None, *bench.topics)),
        }
        name = chance.choice(tuple(marks))
        await ok(http.patch(f"/pairs/{chance.choice(talk.seen)}", json={name: marks[name]}))


def some_filter(chance: random.Random) -> str:
    first, second, third = chance.choices(TERMS, k=3)
    forms = (first, first, f"{first} {second}", f"({first} | {second}) {third}", f"!({first} | {second})")
    form = chance.choice(forms)
    return form if first and second and third else first


# --- the proof ---


def texts(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text.strip() else []


def join(parts: list[dict[str, Any]]) -> Any:
    """Return a text alone as a plain string."""
    return parts[0]["text"] if len(parts) == 1 and "text" in parts[0] else parts


def redacted(text: str) -> str:
    for secret, mark in SECRETS.items():
        text = text.replace(secret, mark)
    return text


def map_attached(shown: list[dict[str, Any]], data: Mapping[str, bytes], *, images: bool) -> Iterator[dict[str, Any]]:
    """Yield the expected content for shown images and files."""
    for part in shown:
        if part["type"] == "text_file":
            end = "" if part["text"].endswith("\n") else "\n"
            yield {"type": "text", "text": f'<file name="{part["name"]}">\n{part["text"]}{end}</file>'}
        elif images:
            encoded = b64encode(data[part["attachment_id"]]).decode()
            yield {"type": "image_url", "image_url": {"url": f"data:{part['media_type']};base64,{encoded}"}}


def project(  # noqa: PLR0917 - what is on the screen
    shown: list[dict[str, Any]],
    cards: Sequence[str],
    model: str,
    draft: str,
    attached: list[dict[str, Any]],
    data: Mapping[str, bytes],
    *,
    forced: bool,
    redact: bool,
) -> bytes:
    """Return the expected body, from the content of the screen."""
    system = "\n\n".join(card for card in cards if card.strip())
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    for pair in shown:
        if pair["lifecycle"] in {"sending", "awaiting"}:
            continue
        if pair["out"] is not None and not (forced and pair["out"] == "over_budget"):
            continue
        if asked := [*texts(pair["user_text"]), *map_attached(pair["attached"], data, images=model == SEES)]:
            messages.append({"role": "user", "content": join(asked)})
        said = "".join(part["text"] for part in pair["parts"] if part["type"] == "text" and part["text"].strip())
        if said:
            messages.append({"role": "assistant", "content": said})
    beside = [dict(part) for part in map_attached(attached, data, images=True)]
    messages.append({"role": "user", "content": join([*texts(draft), *beside])})
    for message in messages if redact else ():
        if isinstance(message["content"], str):
            message["content"] = redacted(message["content"])
        else:
            message["content"] = [
                {**part, "text": redacted(part["text"])} if "text" in part else part for part in message["content"]
            ]
    body = {"model": model.partition(":")[2], "stream": True, "stream_options": {"include_usage": True}}
    return orjson.dumps({**body, "messages": messages})


async def run_case(bench: Bench, chance: random.Random, talk: Talk, name: str) -> None:
    http = bench.api.http
    if chance.random() < 0.6:
        await change_something(bench, chance, talk)
    draft = f"{name} {words(chance)}"
    options: dict[str, Any] = {"model": chance.choice(MODELS)}
    if chance.random() < 0.8:
        options["filter"] = some_filter(chance)
    if chance.random() < 0.5:
        options["topic"] = chance.choice(bench.topics)

    usable = [one for one, part in bench.uploads.items() if options["model"] == SEES or isinstance(part, TextFile)]
    attachments = chance.sample(usable, chance.choice((0, 0, 1, len(usable))))
    attached = [{"type": "text_file", "name": part.name, "text": part.text} if isinstance(part, TextFile)
                else {"type": "image", "attachment_id": one, "media_type": "image/jpeg"}
                for one in attachments for part in (bench.uploads[one],)]  # fmt: skip
    asked: dict[str, Any] = {**options, "draft": draft, "limit": 500}
    asked |= {"attachments": attachments} if attachments else {}
    view = await ok(http.get(f"/conversations/{talk.id}/pairs", params=asked))
    forced = chance.random() < 0.3
    body: dict[str, Any] = {
        "text": draft,
        "attachments": attachments,
        **options,
        "as_of": view["as_of"],
        "over_budget": "force" if forced else "fit",
    }
    if not forced:
        body["selection"] = view["selection"]
    estimate = view["estimate"]
    is_too_large = estimate["tokens"] - estimate["pairs"] + estimate["reserve"] > estimate["limit"]
    if is_too_large and not forced:
        refused = await http.post(f"/conversations/{talk.id}/send", json=body, headers=JSON)
        assert (refused.status_code, "fit" in refused.json()) == (409, False), f"{name}: {asked}"
        assert name not in bench.ear.heard
        forced, body = True, {**body, "over_budget": "force"}
        del body["selection"]
    started = await ok(http.post(f"/conversations/{talk.id}/send", json=body, headers=JSON))
    async for _ in follow(bench.api.ctx, LOCAL_OWNER, started["run_id"]):
        pass

    cards = (talk.system, view["prelude"] or "")
    expected = project(
        view["items"], cards, options["model"], draft, attached, bench.data, forced=forced, redact=bench.redact
    )
    heard = bench.ear.heard.pop(name)
    assert heard == [expected], f"{name}: {asked} {heard} {expected}"
    talk.seen = [pair["id"] for pair in view["items"]]
    counted = [pair for pair in view["items"] if pair["out"] is None]
    assert (view["x"], view["y"]) == (len(counted), len(view["items"])), f"{name}: {asked}"
    assert estimate["tokens"] <= estimate["limit"] or view["x"] == 0
    bench.count("pairs in view", view["y"])
    bench.count("pairs over the budget", any(pair["out"] == "over_budget" for pair in view["items"]))
    bench.count("messages too large by themselves", is_too_large)
    bench.count("pairs shown by an `o` and not sent", any(pair["out"] == "filtered" for pair in view["items"]))
    if bench.redact:
        bench.count("secrets replaced", b"[redacted: " in expected)
        bench.count("a card of the person", b"I am Ada." in expected)
    bench.count("images and files sent", b"image_url" in expected or b"<file name=" in expected)
    bench.count("cases", 1)


JSON = {"Accept": "application/json"}


@pytest.mark.slow
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("redact", [True, False], ids=["all middleware", "no middleware"])
async def test_what_arrives_is_what_is_in_view(tmp_path: Path, redact: bool) -> None:
    seed = choose_seed("IDENTITY_SEED") + (0 if redact else CASES)
    async with open_bench(tmp_path) as bench:
        preferences = await ok(bench.api.http.get("/preferences"))
        bench.redact = redact
        about = {"about_me": "I am Ada.", "date_zone": "Asia/Tokyo", "redact": True} if redact else {}
        await ok(bench.api.http.put("/preferences", json={**preferences, "send_tokens": 1_050, **about}))
        waiting = iter(range(0, CASES, SENDS))

        async def work() -> None:
            for first in waiting:
                chance = random.Random(seed + first)
                talk = Talk(await store_conversation(bench, chance))
                for number in range(first, min(first + SENDS, CASES)):
                    await run_case(bench, chance, talk, f"case-{number}-of-seed-{seed}")

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))

    print(f"seed {seed}: {bench.tally}")
    assert bench.tally["cases"] == CASES
    for what, count in bench.tally.items():
        assert count > CASES / 50, f"only {count} of {CASES} cases had {what}: they prove too little"
