"""Texts that a new user reads first: the start page, and the notes above pairs that are not sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.context.context import OutReason
from app.domain.errors import ErrorClass, Failure
from app.state.conversation.model import ModelState
from app.state.inspector.frame import InspectorState
from app.state.shell.menus import MenuState
from app.state.transcript.transcript import TranscriptState
from app.ui.pages.conversation import conversation
from app.ui.pages.home import home
from app.views.reply.failure import show_failure
from app.views.reply.pair import show_pair
from app.views.shortcuts.shortcuts import ACTIONS
from tests.builders import a_pair
from tests.ui.drawn import draw, sent


def test_start_page_begins_with_what_is_sent() -> None:
    page = draw(home, {})

    lead = page.text.index("What you see is what is sent to the model")
    assert lead < page.text.index("Attach a file")


@pytest.mark.parametrize(
    ("reason", "label", "meaning"),
    [
        (OutReason.OVER_BUDGET, "OUT · over budget", "Not sent: it does not fit into the budget with the newer pairs."),
        (OutReason.BEFORE_CHECKPOINT, "OUT · summarised", "Not sent: the summary above is sent instead of it."),
        (OutReason.FILTERED, "OUT · filtered", "Not sent: the filter excludes it."),
        (OutReason.DAMAGED, "OUT · damaged", "Not sent: part of it cannot be read."),
        (OutReason.FAILED, "Failed, not sent", "Its reply failed, or it has none."),
    ],
)
def test_pair_that_is_not_sent_says_why(reason: OutReason, label: str, meaning: str) -> None:
    pair = replace(show_pair(a_pair()), out=reason)

    page = draw(conversation, {TranscriptState: {"pairs": (pair,)}})

    (note,) = [one for one in page.list("p") if one.props.get("className") == "out"]
    assert (note.text, note.props.get("title"), note.name) == (label, meaning, f"{label}. {meaning}")


def test_controls_that_open_the_request_have_one_name() -> None:
    failed = replace(show_pair(a_pair()), error=show_failure(Failure(ErrorClass.AUTH, "It failed.", "Try again.")))
    pages = draw(home, {}), draw(conversation, {TranscriptState: {"pairs": (failed,)}})

    showing = sent(InspectorState.show, section="preview")
    opening = [one.name.strip() for page in pages for one in page.all() if showing in one.sends("on_click")]
    assert len(opening) >= 3
    assert {name.partition("Exactly")[0] for name in opening} <= {"Show request", "Request"}  # "Request" is a tab
    assert pages[1].find("div", "Next steps").list("button", "Show request")
    assert {one.id for one in ACTIONS if one.name == "Show request"} == {"preview", "dry_run"}


def test_texts_of_the_first_minutes_can_be_read_once() -> None:
    start = draw(home, {ModelState: {"chosen": "offline:demo"}}).text
    models = draw(conversation, {MenuState: {"shown": "model"}}).find("Dialog", "Model").text

    assert "Replies come from the built-in demo, which needs no key. Connect a model to get real replies." in start
    assert "Compare two modelsBoth answer your next message, side by side" in start
    assert "Its costs stay in Usage, without any text." in start
    assert "Context window · price per million tokens ($ input/output)" in models
