from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from app.domain.errors import ConflictError, InputError, NotFoundError, SendLockedError
from app.patches.sampling import FIRST, Sampler
from app.runs.runtime.ids import new_id
from app.state.shell import notice
from app.state.shell.notice import NoticeState, describe_fault, log_script_fault
from tests.state.conftest import Tab


def words_of(fault: Exception) -> str:
    return str(describe_fault(fault))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (NotFoundError("saved filter", "ai"), "There is no saved filter 'ai'. It may have been deleted."),
        (NotFoundError("conversation", new_id()), "There is no such conversation. It may have been deleted."),
        (
            NotFoundError("open comparison in conversation", new_id()),
            "There is no such open comparison. It may have been deleted.",
        ),
        (SendLockedError(new_id()), "A reply is still running in this conversation."),
        (ConflictError(f"Conversation {new_id()!r} is not temporary."), "This conversation is not temporary."),
        (ConflictError(f"The reply of pair {new_id()!r} runs. Stop it."), "The reply of this pair runs. Stop it."),
        (ConflictError(f"Run {new_id()!r} belongs to another process."), "This reply belongs to another process."),
    ],
)
def test_deliberate_error_is_shown_without_an_id_that_no_person_knows(fault: Exception, message: str) -> None:
    assert message in words_of(fault)


def test_message_about_a_field_names_the_field() -> None:
    assert "The line has no command." in words_of(InputError("line", "has no command. Write one after a colon."))


def test_any_other_error_is_logged_and_shown_only_by_its_number() -> None:
    with capture_logs() as logged:
        words = words_of(RuntimeError("secret innards"))

    assert "secret" not in words
    assert logged[0]["log_id"] in words


async def test_notice_is_shown_until_it_is_dismissed(tab: Tab) -> None:
    await tab.send(NoticeState.tell, message="Look here")
    assert tab.shows(NoticeState, "message") == "Look here"

    await tab.send(NoticeState.dismiss)

    assert tab.shows(NoticeState, "message") == ""


async def test_fault_of_a_script_is_logged_by_its_kind_and_places_without_its_words() -> None:
    fault = RuntimeError("TypeError: my password is no function\n    at f (http://127.0.0.1/assets/chat-a1.js:7:12)")

    with capture_logs() as logged:
        log_script_fault(fault)

    assert logged[0]["event"] == "A script of the page failed: TypeError at chat-a1.js:7:12."


async def test_thousands_of_faults_of_a_script_are_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(notice, "_script_faults", Sampler(lines.append))

    for number in range(12_000):
        log_script_fault(RuntimeError(f"TypeError: {number}"))

    assert len(lines) == FIRST


async def test_sizes_that_the_browser_reports_a_frame_later_are_no_fault() -> None:
    place = "    at http://127.0.0.1/c/c1:0:0"

    with capture_logs() as logged:
        log_script_fault(RuntimeError(f"ResizeObserver loop completed with undelivered notifications.\n{place}"))
        log_script_fault(RuntimeError(f"ResizeObserver loop limit exceeded\n{place}"))

    assert logged == []
