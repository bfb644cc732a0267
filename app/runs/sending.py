"""A send, planned: from what is in view to the bytes that would leave. The one way for preview, send and reaper.

    plan = await plan_send(wb.histories, view, profile, provider)

Nothing is called or stored here.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from app.domain.context import BuiltRequest, View, build_request
from app.domain.conversation import Conversation, Pair, Parameters
from app.domain.hashing import Hashed, content_hashes
from app.domain.model_profile import ModelProfile
from app.domain.parts import Part
from app.providers.base import Provider, WireRequest, encode

LONG_HISTORY = 500
"""Pairs from which on planning would hold the event loop for too long, and is done in a thread."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One provider call that could be made. `hashes` as of `domain.hashing.content_hashes`."""

    provider: Provider
    built: BuiltRequest
    wire: WireRequest
    hashes: tuple[str, ...]

    @property
    def content_hash(self) -> str:
        """The hash of the whole request."""
        return self.hashes[-1]

    @property
    def hashed(self) -> Hashed:
        """What spares the next plan in the same conversation most of its hashing."""
        return Hashed(self.built.request, self.hashes)


def build_view(
    conversation: Conversation, pairs: tuple[Pair, ...], draft: tuple[Part, ...], parameters: Parameters
) -> View:
    """What is in view of a conversation when this is sent."""
    return View(pairs=pairs, draft=draft, system_prompt=conversation.system_prompt, parameters=parameters)


async def plan_send(view: View, profile: ModelProfile, provider: Provider, known: Hashed | None = None) -> Plan:
    """What sending this view to this model would send. `known`: an earlier plan's hashes, of whatever request.

    Raises:
        InputError: the protocol cannot carry it.
    """
    if len(view.pairs) < LONG_HISTORY:
        return _plan(view, profile, provider, known)
    return await asyncio.to_thread(_plan, view, profile, provider, known)


def _plan(view: View, profile: ModelProfile, provider: Provider, known: Hashed | None) -> Plan:
    built = build_request(view, profile)
    wire = encode(provider, built.request, profile, {})
    return Plan(provider, built, wire, content_hashes(built.request, known))
