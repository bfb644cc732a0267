"""The card about the user: the order of its parts, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from app.domain.privacy.user_context import MAX_FIRST_REQUEST, UserContext, describe_user
from app.domain.settings.preferences import Preferences, read_user_options

DAY = date(2026, 11, 22)
NOW = datetime(2026, 11, 22, 23, 5, 59, tzinfo=UTC)


def test_what_changes_most_often_is_last() -> None:
    whole = UserContext("I am Ada.", "ada@example.org", "Travel", "Plan a trip.", DAY, "14:05 (Europe/Berlin)")

    assert describe_user(whole) == (
        "User: ada@example.org\n\nAbout the person you talk to:\nI am Ada.\n\nProject: Travel\n\n"
        "The first request of this conversation:\nPlan a trip.\n\n"
        "Today is Sunday, 22 November 2026. The time is 14:05 (Europe/Berlin)."
    )


def test_a_part_that_is_blank_is_not_sent() -> None:
    assert describe_user(UserContext(" ", "\t", " ", "\n", None, "14:05")) is None
    assert describe_user(UserContext(today=DAY)) == "Today is Sunday, 22 November 2026."


def test_long_first_request_is_cut() -> None:
    text = describe_user(UserContext(first_request="x" * (MAX_FIRST_REQUEST + 1)))

    assert text is not None
    assert text.endswith("\n" + "x" * MAX_FIRST_REQUEST + "…")
    assert describe_user(UserContext(first_request="x" * MAX_FIRST_REQUEST)) == text.removesuffix("…")


def test_each_part_is_sent_only_if_it_is_switched_on() -> None:
    off = read_user_options(Preferences(), NOW, "Plan a trip.", "Travel")
    assert off.context == UserContext()

    on = Preferences(
        user_name="Ada", tell_project=True, tell_first_request=True, date_zone="Asia/Tokyo", tell_time=True
    )
    assert read_user_options(on, NOW, "Plan a trip.", "Travel").context == UserContext(
        "", "Ada", "Travel", "Plan a trip.", date(2026, 11, 23), "08:05 (Asia/Tokyo)"
    )
    assert read_user_options(replace(on, date_zone=None), NOW).context == UserContext("", "Ada")
