"""The preview: exactly what a send would send, and the account of what it leaves out. Nothing is called or stored.

`body` stands in the answer byte for byte as the provider would get it; `body_sha256` is its hash, for whoever wants
to compare it with what arrived.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from app.domain.context import BuiltRequest, OutReason, Unsupported
from app.domain.model_profile import split_model_name
from app.views.encode import raw_json


@dataclass(frozen=True, slots=True)
class OutView:
    """A visible pair that would not be sent, and why."""

    pair_id: str
    reason: OutReason


@dataclass(frozen=True, slots=True)
class UnsupportedView:
    """A part the model cannot take. `pair_id` null: it is in the draft."""

    pair_id: str | None
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class HeaderView:
    """A header that would be sent; the value of a secret one is masked."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class PreviewView:
    """One call that would be made. `hashes`: of the prefix before any message, then one per message."""

    provider: str
    model: str
    method: Literal["POST"]
    url: str
    headers: tuple[HeaderView, ...]
    body: Any
    body_sha256: str
    content_hash: str
    hashes: tuple[str, ...]
    out: tuple[OutView, ...]
    unsupported: tuple[UnsupportedView, ...]
    cost: Literal["unknown"]


def describe_preview(
    built: BuiltRequest, hashes: tuple[str, ...], *, url: str, headers: Iterable[tuple[str, str]], body: bytes
) -> PreviewView:
    """The preview of a built request with its content hashes, and of what its adapter made of it."""
    return PreviewView(
        provider=split_model_name(built.request.model)[0],
        model=built.request.model,
        method="POST",
        url=url,
        headers=tuple(HeaderView(name, value) for name, value in headers),
        body=raw_json(body),
        body_sha256=sha256(body).hexdigest(),
        content_hash=hashes[-1],
        hashes=hashes,
        out=tuple(OutView(out.pair_id, out.reason) for out in built.out),
        unsupported=tuple(_describe_unsupported(part) for part in built.unsupported),
        cost="unknown",
    )


def _describe_unsupported(part: Unsupported) -> UnsupportedView:
    return UnsupportedView(part.pair_id, part.kind, part.reason)
