"""Tool calls as the page shows them: the head of a card, the additional data of a running reply, and the inside."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from app.domain.conversation.parts import File, Image, Text, ToolCall, ToolResult
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.views.reply.panels import ToolProgressView
from app.views.reply.tool_body import MAX_TEXT, ShownCall, ToolBodyView, list_pieces, show_body
from app.views.reply.tool_card import CardStatus, ToolCardView, show_card, watch_card
from tests.attacks import NO_JSON
from tests.builders import EPOCH

CALL = ToolCall("c1", "files__list", '{"path": "/home"}', complete=True)
RESULT = ToolResult("c1", (Text("one\ntwo"),), is_error=False, seconds=0.25)
RECORD = ToolCallRecord("c1", 1, "files__list", CALL.input_json, EPOCH, "s1", "files", "list", run_json=CALL.input_json)


def card(call: ToolCall = CALL, *results: ToolResult, running: bool = False) -> ToolCardView:
    return show_card(call, (call, *results), running=running)


def body(call: ToolCall = CALL, result: ToolResult | None = RESULT, **fields: Any) -> ToolBodyView:
    known: dict[str, Any] = {"id": "p/1/c1", "running": False, "record": RECORD, "delegated": None}
    return show_body(ShownCall(call=call, result=result, record_address="/records", **{**known, **fields}))


@pytest.mark.parametrize(
    ("call", "result", "running", "status", "words"),
    [
        (replace(CALL, complete=False), None, True, CardStatus.WRITING, "Writing the arguments…"),
        (CALL, None, True, CardStatus.RUNNING, "Running…"),
        (CALL, None, False, CardStatus.UNANSWERED, "No result"),
        (CALL, RESULT, True, CardStatus.DONE, "Done"),
        (CALL, replace(RESULT, is_error=True), False, CardStatus.FAILED, "Failed"),
        (CALL, replace(RESULT, is_error=True, denied=True), False, CardStatus.DENIED, "Denied by you"),
    ],
)
def test_card_says_how_far_its_call_is(
    call: ToolCall, result: ToolResult | None, *, running: bool, status: CardStatus, words: str
) -> None:
    shown = card(call, *([result] if result else []), running=running)

    assert (shown.status, shown.state) == (status, words)


def test_card_of_a_failed_call_shows_the_reason_instead_of_its_arguments() -> None:
    assert card(CALL, RESULT).gist == '{"path": "/home"}'
    assert card(CALL, replace(RESULT, is_error=True)).gist == "one"
    assert card(CALL, replace(RESULT, is_error=True, denied=True)).gist == '{"path": "/home"}'


def test_body_of_a_denied_call_is_no_error() -> None:
    denied = replace(RESULT, is_error=True, denied=True)
    shown = body(CALL, denied, record=replace(RECORD, run_json=None, is_error=True, fault=CallFault.DENIED))

    assert (shown.denied, shown.failed, shown.fault) == (True, False, "")


def test_arguments_of_a_card_are_cut_to_one_line() -> None:
    assert card(replace(CALL, input_json="{}")).gist == ""
    long = card(replace(CALL, input_json=json.dumps({"text": "x" * 1000}, indent=2))).gist
    assert long.startswith('{ "text": "xxx')
    assert (len(long), long[-1]) == (121, "…")


def test_result_in_a_card_is_that_of_its_own_call() -> None:
    other = ToolResult("c2", (Text("no"),), is_error=True, seconds=9.0)

    assert card(CALL, other, RESULT).took == "250 ms"


def test_call_that_a_person_is_asked_about_waits() -> None:
    running = card(running=True)

    assert watch_card(running, {"c1"}, {}).status is CardStatus.WAITING
    assert watch_card(running, {"c2"}, {}) is running
    done = card(CALL, RESULT, running=True)
    assert watch_card(done, {"c1"}, {"c1": ToolProgressView("c1", 1, 2, "", "")}) is done


@pytest.mark.parametrize(
    ("told", "state", "share", "text"),
    [
        (ToolProgressView("c1", 1, 4, "", ""), "Running, 25 %", 0.25, "25 %"),
        (ToolProgressView("c1", 9, 4, "Reading", ""), "Running, 225 %", 1.0, "Reading"),
        (ToolProgressView("c1", 2.0**53, 1e-320, "", ""), "Running, 9999 %", 1.0, "9999 %"),
        (ToolProgressView("c1", 1234, None, "", "c2"), "Running…", -1.0, "1,234"),
    ],
)
def test_running_call_says_how_far_it_is(told: ToolProgressView, state: str, share: float, text: str) -> None:
    shown = watch_card(card(running=True), (), {"c1": told})

    assert shown.state == state
    assert shown.progress is not None
    assert (shown.progress.share, shown.progress.text) == (share, text)
    assert shown.progress.conversation_id == told.conversation_id


def test_long_result_begins_with_its_first_lines_and_json_is_laid_out() -> None:
    lines = "\n".join(f"line {at}" for at in range(100))
    content = (Text("short"), Text(lines), Text('{"a": 1}'), Text("[not json"), Text("7"))

    pieces = body(result=replace(RESULT, content=content)).pieces

    assert [piece.kind for piece in pieces] == ["text", "text", "json", "text", "text"]
    assert (pieces[0].start, pieces[0].more) == ("short", "")
    assert pieces[1].start.splitlines()[-1] == "line 23…"
    assert (pieces[1].text, pieces[1].more) == (lines, f"Show all, {len(lines)} characters")


def test_pictures_and_files_are_where_their_bytes_are() -> None:
    content = (Image("a1", "image/png", 30, 20), File("a2", "text/csv", "table.csv"))

    picture, file = body(result=replace(RESULT, content=content)).pieces

    assert (picture.address, picture.width, picture.height) == ("/api/v1/attachments/a1", 30, 20)
    assert (file.address, file.name, file.media_type) == ("/api/v1/attachments/a2", "table.csv", "text/csv")


def test_body_says_whose_tool_it_was_and_what_was_run() -> None:
    same = body(record=replace(RECORD, run_json='{"path":"/home"}', title="List"))
    changed = body(record=replace(RECORD, run_json='{"path": "/tmp"}', fault=CallFault.TIMED_OUT))

    assert same.server == "List · server files"
    assert [one.title for one in same.arguments] == ["Arguments"]
    assert [(one.title, one.piece and one.piece.text) for one in changed.arguments] == [
        ("Arguments, as the model sent them", '{"path": "/home"}'),
        ("Arguments, as they were run", '{"path": "/tmp"}'),
    ]
    assert changed.fault == "The tool did not answer in time."


@pytest.mark.parametrize("fault", CallFault)
def test_every_fault_of_a_call_has_its_sentence(fault: CallFault) -> None:
    assert body(record=replace(RECORD, fault=fault)).fault.endswith(".")


def test_call_without_arguments_and_without_a_result_is_labelled() -> None:
    empty = body(replace(CALL, input_json="{}"), None, record=None)

    assert (empty.arguments[0].piece, empty.answered, empty.unanswered) == (None, False, True)
    assert not body(CALL, None, record=None, running=True).unanswered


def test_whole_result_is_shown_where_the_model_got_its_beginning() -> None:
    whole = body(record=replace(RECORD, content=(Text("all of it"),)))

    assert whole.whole
    assert (whole.copied, whole.pieces[0].text) == ("all of it", "all of it")


def test_what_is_too_large_for_the_page_is_a_download() -> None:
    large = body(result=replace(RESULT, content=(Text("x" * (MAX_TEXT + 1)),)))

    assert large.download == "/records"
    assert (large.copied, large.pieces[0].text, large.pieces[0].more) == ("", "", "")
    assert len(large.pieces[0].start) == 2001
    assert body().download == ""


@pytest.mark.parametrize("name", NO_JSON)
def test_invalid_or_deeply_nested_json_is_a_text_at_any_place(name: str) -> None:
    text = NO_JSON[name]
    record = replace(RECORD, run_json='{"path": "/tmp"}', structured_json=text)

    shown = body(replace(CALL, input_json=text), replace(RESULT, content=(Text(text),)), record=record)

    assert shown.structured is not None
    assert shown.arguments[0].piece is not None
    for piece in (shown.structured, shown.arguments[0].piece, replace(shown.pieces[0])):
        assert (piece.kind, len(piece.start) <= 2_001) == ("text", True)
    assert len(list_pieces(shown)) == 4


def test_arguments_that_are_too_long_for_a_page_begin_there_and_are_downloaded() -> None:
    long = body(replace(CALL, input_json=json.dumps({"text": "x" * MAX_TEXT})), record=None)

    assert long.arguments[0].piece is not None
    assert (long.arguments[0].piece.kind, long.arguments[0].piece.text) == ("text", "")
    assert long.download == "/records"
