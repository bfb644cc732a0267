"""What docs/live-socket.md tells a browser to do with frames, in so many lines; and a connection that does it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect

RUNNING = {"sending", "awaiting"}


@dataclass
class Browser:
    """The pairs a browser has. `frames` are those it took, `streaming` the pair whose reply is on."""

    frames: list[str] = field(default_factory=list[str])
    by_id: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    streaming: dict[str, Any] | None = None
    conversation: dict[str, Any] | None = None
    view: dict[str, Any] | None = None
    older: str | None = None
    waiting: list[str] = field(default_factory=list[str])
    comparison: dict[str, Any] | None = None
    permissions: list[str] = field(default_factory=list[str])

    @property
    def pairs(self) -> list[dict[str, Any]]:
        return sorted(self.by_id.values(), key=lambda pair: pair["position"])

    def reply(self, pair_id: str) -> list[tuple[str, str]]:
        """The texts of a pair's parts, by type."""
        return [(part["type"], part["text"]) for part in self.by_id[pair_id]["parts"]]

    def controls(self, kind: str) -> list[dict[str, Any]]:
        found = [orjson.loads(frame) for frame in self.frames if frame[0] == "{"]
        return [frame for frame in found if frame["type"] == kind]

    def take(self, frame: str) -> None:
        assert self.frames or frame.startswith('{"type":"window"') or not self.by_id
        self.frames.append(frame)
        match frame[0]:
            case "t":
                self._append("text", frame[1:])
            case "h":
                self._append("thinking", frame[1:])
            case "i":
                self._parts[-1]["input_json"] += frame[1:]
            case "p":
                pass
            case _:
                self._obey(orjson.loads(frame))

    @property
    def _parts(self) -> list[dict[str, Any]]:
        assert self.streaming is not None, "text for a reply that is not on"
        return self.streaming["parts"]

    def _append(self, kind: str, text: str) -> None:
        if not self._parts or self._parts[-1]["type"] != kind:
            self._parts.append({"type": kind, "text": ""})
        self._parts[-1]["text"] += text

    def _obey(self, control: dict[str, Any]) -> None:  # noqa: C901, PLR0912 - one case for each frame there is
        match control["type"]:
            case "window":
                self._replace_window(control)
            case "pairs":
                self._put(control["pairs"])
            case "part":
                self._parts.append({"text": "", "input_json": "", **control["part"]})
            case "tool_call":
                called = [part for part in self._parts if part.get("tool_call_id") == control["tool_call_id"]]
                called[-1]["state"] = control["state"]
            case "end":
                assert self.streaming is not None
                assert control["pair"]["id"] == self.streaming["id"]
                assert control["pair"]["lifecycle"] not in RUNNING
                self.streaming.update(control["pair"])
                self.streaming = None
            case "removed":
                for pair_id in control["ids"]:
                    self.by_id.pop(pair_id, None)
            case "view" | "tokens":
                self._add_up(control)
            case "conversation":
                self.conversation = control["conversation"]
            case "permissions":
                self.permissions = [each["input"]["path"] for each in control["permissions"]]
            case "comparison":
                self.comparison = control["comparison"]
            case "queue":
                self.waiting = [item["text"] for item in control["queue"]["items"]]
            case "retry" | "attempt":
                assert self.streaming is not None
                assert control["pair_id"] == self.streaming["id"]
            case kind:
                raise AssertionError(f"docs/live-socket.md knows no frame {kind!r}")

    def _add_up(self, control: dict[str, Any]) -> None:
        if control["type"] == "tokens":
            runs = control["tokens"].items()
            sizes = {int(first) + place: size for first, run in runs for place, size in enumerate(run)}
            for pair in self.by_id.values():
                pair["tokens"] = sizes.get(pair["position"], pair["tokens"])
            return
        known = self.view or {}
        estimate: dict[str, Any] | None = control.get("estimate", {})
        if estimate is not None:
            estimate = {**(known.get("estimate") or {}), **estimate}
        self.view = {**known, **control, "estimate": estimate}

    def _replace_window(self, window: dict[str, Any]) -> None:
        replaces = window.get("replace", False)
        assert replaces is (len(self.frames) > 1)
        assert window["first"] is (window["cursor"] is not None)
        self.older = window["cursor"]
        if replaces:
            kept = {pair["id"] for pair in window["pairs"]}
            running = self.streaming
            self.by_id = {} if running is None or running["id"] not in kept else {running["id"]: running}
        self._put(window["pairs"])

    def _put(self, pairs: list[dict[str, Any]]) -> None:
        for pair in pairs:
            known = self.by_id.setdefault(pair["id"], {})
            streams = known is self.streaming and pair["run_id"] == known["run_id"]
            streamed = known["parts"] if streams else pair.get("parts", known.get("parts"))
            known.update({**pair, "parts": streamed})
            if pair["lifecycle"] in RUNNING:
                assert pair["parts"] == []
                assert self.streaming is None or self.streaming["id"] == pair["id"], "two replies at once"
                self.streaming = self.by_id[pair["id"]]


@dataclass
class Tab(Browser):
    """A browser at a live socket."""

    socket: ClientConnection | None = None

    async def read(self) -> None:
        assert self.socket is not None
        async with asyncio.timeout(10):  # not wait_for, which in Python 3.11 may swallow a cancellation from outside
            frame = await self.socket.recv()
        assert isinstance(frame, str)
        self.take(frame)

    async def until(self, seen: Callable[[Tab], object]) -> None:
        while not seen(self):
            await self.read()

    async def until_end_of(self, pair_id: str) -> None:
        await self.until(lambda tab: pair_id in tab.by_id and tab.by_id[pair_id]["lifecycle"] not in RUNNING)

    async def stays_silent(self, seconds: float = 0.15) -> bool:
        """Whether nothing more comes for a while but how it all adds up: views, sizes, and heads of pairs."""
        assert self.socket is not None
        known = {pair_id: dict(pair) for pair_id, pair in self.by_id.items()}
        try:
            async with asyncio.timeout(seconds):
                while True:
                    frame = str(await self.socket.recv())
                    self.take(frame)
                    if not _is_sum(frame):
                        return False
        except TimeoutError:
            return all(self.by_id[pair_id]["parts"] == pair["parts"] for pair_id, pair in known.items())


def _is_sum(frame: str) -> bool:
    said = orjson.loads(frame) if frame[0] == "{" else {"type": frame}
    heads = said["type"] == "pairs" and not any("parts" in pair for pair in said["pairs"])
    return heads or said["type"] in {"view", "tokens"}


@asynccontextmanager
async def open_tab(url: str, **options: Any) -> AsyncGenerator[Tab]:
    """A tab that has its window."""
    async with connect(url, compression=None, max_size=None, **options) as socket:
        tab = Tab(socket=socket)
        await tab.read()
        yield tab
