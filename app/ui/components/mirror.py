"""What the scripts that are not Python yet are shown of the states. Goes with the last of them."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.compare.replies import ComparisonState
from app.state.composer.state import ComposerState
from app.state.filters.applied import FilterState
from app.state.reply.marks import MarksState
from app.state.reply.resend import ResendState
from app.state.transcript import TranscriptState
from app.ui.components.scripts import Script, script


def _pair_and_count(pair_id: rx.Var[str], count: rx.Var[int]) -> tuple[rx.Var[str], rx.Var[int]]:
    return pair_id, count


def _pair_and_model(pair_id: rx.Var[str], model: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return pair_id, model


class LiveBridge(Script):
    """Shows the scripts that are not Python yet what the states hold."""

    library = script("live_bridge.jsx")
    tag = "LiveBridge"
    conversation: rx.Var[str]
    known: rx.Var[bool]
    gone: rx.Var[bool]
    pairs: rx.Var[Any]
    earlier: rx.Var[bool]
    later: rx.Var[bool]
    running: rx.Var[str]
    ended: rx.Var[str]
    retry: rx.Var[Any]
    progress: rx.Var[Any]
    changes: rx.Var[int]
    boundary: rx.Var[int]
    boundary_reason: rx.Var[Any]
    filter: rx.Var[str]
    description: rx.Var[str]
    notices: rx.Var[Any]
    refusal: rx.Var[Any]
    topic: rx.Var[str]
    as_of: rx.Var[str]
    estimate: rx.Var[Any]
    model: rx.Var[str]
    x: rx.Var[int]
    y: rx.Var[int]
    tools: rx.Var[Any]
    prelude: rx.Var[Any]
    secrets: rx.Var[Any]
    comparison: rx.Var[Any]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]
    on_later: rx.EventHandler[rx.event.no_args_event_spec]
    on_newest: rx.EventHandler[rx.event.no_args_event_spec]
    on_position: rx.EventHandler[rx.event.passthrough_event_spec(int)]
    on_stars: rx.EventHandler[_pair_and_count]
    on_flag: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_cycle: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_answer_again: rx.EventHandler[_pair_and_model]


def mirror() -> rx.Component:
    """Show the older scripts what the states hold."""
    transcript = (
        "conversation",
        "known",
        "gone",
        "pairs",
        "earlier",
        "later",
        "running",
        "ended",
        "retry",
        "progress",
        "changes",
        "boundary",
        "boundary_reason",
    )
    filters = ("filter", "description", "notices", "refusal", "topic", "as_of")
    composer = ("estimate", "model", "x", "y", "tools", "prelude", "secrets")
    shown = {
        name: getattr(state, name)
        for state, names in ((TranscriptState, transcript), (FilterState, filters), (ComposerState, composer))
        for name in names
    }
    return LiveBridge.create(
        **shown,
        comparison=ComparisonState.comparison,
        on_earlier=TranscriptState.show_earlier,
        on_later=TranscriptState.show_later,
        on_newest=TranscriptState.show_newest,
        on_position=TranscriptState.show_position,
        on_stars=MarksState.give_stars,
        on_flag=MarksState.toggle_flag,
        on_cycle=MarksState.cycle_mark,
        on_answer_again=ResendState.answer_again,
    )
