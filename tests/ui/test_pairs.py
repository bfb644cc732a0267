"""The controls of a pair: after a failure, in an edit, in the question about later pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.errors import ErrorClass, Failure
from app.state.compare.answer_again import AnswerAgainState
from app.state.reply.edit import EditState
from app.state.reply.resend import ResendState
from app.state.reply.resending import ALL_WAYS, describe_later
from app.state.transcript.transcript import TranscriptState
from app.state.usage.sent_call import SentCallState
from app.ui.pages.conversation import conversation
from app.views.reply.failure import show_failure
from app.views.reply.pair import SpentNote, show_pair
from tests.builders import a_pair
from tests.ui.drawn import Element, Sent, draw, sent, sent_to

PAIR = show_pair(a_pair())


def page_of_failure(error_class: ErrorClass) -> Element:
    failed = replace(PAIR, error=show_failure(Failure(error_class, "It failed.", "Try again.")), parts=())
    return draw(conversation, {TranscriptState: {"pairs": (failed,)}})


@pytest.mark.parametrize(
    ("error_class", "expected"),
    [
        (
            ErrorClass.AUTH,
            {
                "Open Settings": sent_to("/settings#provider-offline"),
                "Try again": sent(ResendState.answer_again, pair_id="p1", model=""),
                "Another model…": sent(AnswerAgainState.ask, pair_id="p1"),
            },
        ),
        (
            ErrorClass.CONTEXT_LENGTH,
            {
                "Make it fit…": sent(ResendState.answer_again, pair_id="p1", model=""),
                "Another model…": sent(AnswerAgainState.ask, pair_id="p1"),
                "Edit & resend": sent(EditState.begin, pair_id="p1"),
            },
        ),
    ],
)
def test_failed_pair_has_buttons_that_take_the_next_steps(error_class: ErrorClass, expected: dict[str, Sent]) -> None:
    page = page_of_failure(error_class)

    steps = page.find("div", "Next steps")
    assert [one.name for one in steps.list("button")][: len(expected)] == list(expected)
    for name, event in expected.items():
        assert steps.find("button", name).sends("on_click") == [event], name


def test_line_below_a_reply_has_its_time_of_day() -> None:
    page = draw(conversation, {TranscriptState: {"pairs": (PAIR,)}})

    times = [one.props for one in page.find("article").list("Moment")]
    assert [(one["at"], one["form"]) for one in times] == [(PAIR.made_at, "clock")]


def test_figures_below_a_reply_open_its_request() -> None:
    pair = replace(PAIR, spent=SpentNote("10 tokens · free", "Input 9 tokens"), run_id="r1")
    page = draw(conversation, {TranscriptState: {"pairs": (pair,)}})

    (figures,) = [one for one in page.find("article").list("button") if one.text == "10 tokens · free"]
    assert figures.sends("on_click") == [sent(SentCallState.open_reply, run_id="r1")]
    assert figures.name.splitlines()[:2] == ["10 tokens · free", "Input 9 tokens"]
    assert figures.name.endswith("Show request")


@pytest.mark.parametrize("var", ["blank", "busy"])
def test_blank_edit_cannot_be_sent(var: str) -> None:
    pairs, edit = {"pairs": (PAIR,)}, {"pair": "p1", "text": "What?", "edit": "e1"}

    ready = draw(conversation, {TranscriptState: pairs, EditState: edit})
    unready = draw(conversation, {TranscriptState: pairs, EditState: {**edit, var: True}})

    assert ready.find("button", "Resend").props["disabled"] is False
    assert unready.find("button", "Resend").props["disabled"] is True
    assert ready.find("form", "Edit pair 1").sends("on_submit") == [sent(ResendState.send_edit, form="<form>")]


def test_question_about_later_pairs_has_its_first_choice_focused_and_its_choices_under_the_arrows() -> None:
    later = describe_later(3, 1, ALL_WAYS)

    dialog = draw(conversation, {ResendState: {"later": later}}).find("Dialog", "What happens to the later pairs?")

    choices = dialog.find("Arrows").list("button")
    assert [one.sends("on_click") for one in choices] == [
        [sent(ResendState.choose_later, key=way.key)] for way in later.ways
    ]
    assert [one.props.get("data-first") for one in choices] == ["", None, None]
    assert dialog.sends("on_close") == [sent(ResendState.end)]


def test_more_actions_of_a_pair_are_a_list_with_words() -> None:
    page = draw(conversation, {TranscriptState: {"pairs": (PAIR,)}})

    menu = page.find("article").find("MenuButton", "More actions")
    items = [one for one in menu.list("button") if "menu-item" in one.props["className"]]
    assert [one.text for one in items] == ["Flag", "Tag: none", "Fork from here", "Delete the pair"]
    assert [one.props["words"] for one in menu.list("CopyButton")] == ["Copy the request"]
    assert ["data-close" in one.props for one in items] == [True] * 4
    assert [one.name for one in menu.find("span", "Stars: 0").list("button")] == ["1 star", "2 stars", "3 stars"]
