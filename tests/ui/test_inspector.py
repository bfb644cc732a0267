"""The controls of the inspector and of the dialog with a sent request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.state.inspector.bodies import BodyView
from app.state.inspector.branches import BranchState
from app.state.inspector.frame import InspectorState
from app.state.inspector.messages import MessagesState
from app.state.inspector.preview import PreviewState
from app.state.inspector.snapshot import KeptRequestView, SnapshotState
from app.state.transcript.transcript import TranscriptState
from app.state.usage.account import AccountState
from app.state.usage.account_view import AccountSummary, CallItem
from app.ui.pages.conversation import conversation
from app.views.inspector.json_pages import JsonPage
from app.views.inspector.messages import MessageItem
from app.views.inspector.request import PieceView, RequestPartView, RequestView
from tests.builders import EPOCH
from tests.ui.drawn import Element, draw, sent

REQUEST = RequestView(
    model="offline:demo", target="POST http://127.0.0.1", pairs="1", size="5 tokens", unsupported=(), redacted=(),
    left_out=(), system=None, count="900 messages", earlier="Show 30 earlier messages", messages=(), tools_count="",
    tools=(), parameters=(), headers_count="", headers=(), content_hash="a", body_sha256="b", body_size="9 MB",
)  # fmt: skip
DOWNLOAD = "/api/v1/body"
LARGE = BodyView(JsonPage('{"a": 1}'), number=2, count=3, download=DOWNLOAD)


def preview(**changed: Any) -> Element:
    return draw(conversation, {InspectorState: {"section": "preview"}, PreviewState: {"request": REQUEST, **changed}})


def turns_of(page: Element) -> dict[str, tuple[Any, ...]]:
    return {
        name: (
            page.find("button", f"{name} page").props["aria-disabled"],
            *page.find("button", f"{name} page").sends("on_click"),
        )
        for name in ("Previous", "Next")
    }


def test_large_body_of_the_preview_is_turned_and_downloaded() -> None:
    page = preview(tab="json", body=LARGE)

    assert "Page 2 of 3" in page.text
    assert turns_of(page) == {
        "Previous": (False, sent(PreviewState.show_page, number=1)),
        "Next": (False, sent(PreviewState.show_page, number=3)),
    }
    link = page.find("ReactRouterLink", "Download the body")
    assert (link.props["to"], link.props["download"], link.props["reloadDocument"]) == (DOWNLOAD, "", True)


def test_first_and_last_page_of_a_body_say_so_and_a_whole_body_has_no_pages() -> None:
    first = preview(tab="json", body=replace(LARGE, number=1))
    last = preview(tab="json", body=replace(LARGE, number=3))
    whole = preview(tab="json", body=replace(LARGE, number=1, count=1, download=""))

    assert [turn[0] for turn in turns_of(first).values()] == [True, False]
    assert [turn[0] for turn in turns_of(last).values()] == [False, True]
    assert not whole.list("button", "Next page")
    assert not whole.list("ReactRouterLink", "Download the body")


def test_large_body_of_a_sent_request_is_turned_and_downloaded() -> None:
    kept = KeptRequestView("offline:demo", "Demo", "POST", EPOCH.isoformat(), "9 MB", (), LARGE)

    page = draw(conversation, {SnapshotState: {"pair": "p1", "title": "Sent request", "kept": kept}})

    dialog = page.find("Dialog", "Sent request")
    assert turns_of(dialog)["Next"] == (False, sent(SnapshotState.show_page, number=3))
    assert dialog.find("ReactRouterLink", "Download the body").props["to"] == DOWNLOAD


def test_preview_shows_earlier_messages_and_the_rest_of_a_long_one() -> None:
    long = PieceView("m1", "user", loaded=True, opened=True, parts=(RequestPartView("", "Hello", more="Show 9 more"),))

    page = preview(request=replace(REQUEST, messages=(long,)))

    assert page.find("button", REQUEST.earlier).sends("on_click") == [sent(PreviewState.show_earlier)]
    assert page.find("button", "Show 9 more").sends("on_click") == [sent(PreviewState.open_piece, key="m1")]
    assert not preview(request=replace(REQUEST, earlier="")).list("button", REQUEST.earlier)


def test_sections_that_cannot_be_read_say_why_and_can_be_tried_again() -> None:
    refused = preview(fault="No such model.")
    branches = draw(conversation, {InspectorState: {"section": "branches"}, BranchState: {"fault": "Too busy."}})

    assert refused.find("p", "No such model.").props["role"] == "alert"
    assert refused.find("button", "Try again").sends("on_click") == [sent(PreviewState.refresh)]
    assert branches.find("p", "Too busy.").props["role"] == "alert"
    assert branches.find("button", "Try again").sends("on_click") == [sent(BranchState.keep_current)]


def test_implausible_report_is_noted_at_its_request() -> None:
    call = CallItem(
        "r1", "Pair 1", "", "$1", "m", "M", EPOCH.isoformat(), "5", "", "", "Fewer tokens than it has words."
    )
    account = AccountSummary("c1", "1 request", (), (), (), ())

    page = draw(
        conversation,
        {InspectorState: {"section": "usage"}, AccountState: {"account": account, "calls": (call,)}},
    )

    (row,) = page.find("ol", "Requests, newest first").list("li")
    assert row.find("p").text == call.report


MESSAGE = MessageItem(
    "m1",
    "c1",
    3,
    "Assistant",
    "Summary",
    "Stopped",
    "clock",
    "9 in · 1 out",
    "80 % from cache",
    "Noon",
    EPOCH.isoformat(),
)


def messages(**changed: Any) -> Element:
    """Draw the conversation `c1` with the section Messages."""
    return draw(
        conversation,
        {
            InspectorState: {"section": "messages"},
            TranscriptState: {"conversation": "c1"},
            MessagesState: {"conversation": "c1", **changed},
        },
    ).find("InspectorFrame")


def test_chips_choose_the_kind_of_messages_and_say_which_is_chosen() -> None:
    page = messages(kind="tool", tasks=True)

    chips = page.find("div", "Kinds of messages").list("button")
    assert [(chip.text, chip.props["aria-pressed"]) for chip in chips] == [
        ("All", False), ("Human", False), ("Assistant", False), ("Tool", True), ("Cache hits", False),
    ]  # fmt: skip
    assert chips[-1].sends("on_click") == [sent(MessagesState.choose, kind="cache-hits")]
    tasks = page.find("button", "With background tasks")
    assert (tasks.props["aria-pressed"], tasks.sends("on_click")) == (True, [sent(MessagesState.toggle_tasks)])


def test_a_message_has_its_kind_tokens_cache_share_and_a_link_to_its_pair() -> None:
    page = messages(items=(MESSAGE,), more=True)

    (row,) = page.find("ol", "Messages, newest first").list("li")
    for text in ("Assistant", "Summary", "Stopped", "Tools: clock", "80 % from cache", "Noon", "9 in · 1 out"):
        assert text in row.text
    assert row.find("NavLink", "Pair 3").props["to"] == "/c/c1?at=3"
    (row,) = messages(items=(replace(MESSAGE, conversation="c2"),)).find("ol", "Messages, newest first").list("li")
    assert row.find("NavLink", "Pair 3 of the task").props["to"] == "/c/c2?at=3"
    assert page.find("button", "Show older messages").sends("on_click") == [sent(MessagesState.show_older)]


def test_a_list_without_messages_says_so_and_a_fault_is_an_alert() -> None:
    assert "No messages yet." in messages().text
    assert not messages().list("button", "Show older messages")
    assert messages(kind="tool").find("p", "No messages of this kind.").props["role"] == "status"
    assert "Loading…" in messages(conversation="c2").text
    assert not messages().list("Ticker")
    assert messages(unfinished=True).find("Ticker").sends("on_tick") == [sent(MessagesState.keep_current)]
    assert messages(fault="Too busy.").find("p", "Too busy.").props["role"] == "alert"
