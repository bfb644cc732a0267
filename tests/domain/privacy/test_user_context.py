"""The card about the user: the order of its parts, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from app.domain.privacy.redaction import redact_text
from app.domain.privacy.user_context import (
    MAX_FIRST_REQUEST,
    READ_OF_FIRST_REQUEST,
    UserContext,
    describe_user,
)
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


@pytest.mark.parametrize(
    ("begins", "secret", "ends"),
    [
        ("", "AKIAIOSFODNN7EXAMPLE", ""),
        ("postgres://app:", "hunter2secret", "@db.example"),
        ("password = ", "correct-horse-7", ""),
        ("-----BEGIN PRIVATE KEY-----\n", "A1b2" * 4000, "\n-----END PRIVATE KEY-----"),
    ],
)
def test_first_request_is_not_cut_in_the_middle_of_a_secret_if_secrets_are_replaced(
    begins: str, secret: str, ends: str
) -> None:
    for inside in range(1, min(len(secret), 60)):
        before = "x" * (MAX_FIRST_REQUEST - inside - len(begins) - 1)
        first = f"{before} {begins}{secret}{ends}{' rest' * 20}"
        text = describe_user(UserContext(first_request=first[:READ_OF_FIRST_REQUEST]), redact=True)
        assert text is not None
        assert text.endswith("…")
        assert secret[0] not in redact_text(text).text[text.index("xxx") : -1].replace(begins, "")


def test_secrets_inside_the_cut_first_request_are_still_replaced() -> None:
    first = f"Use AKIAIOSFODNN7EXAMPLE. {'x' * MAX_FIRST_REQUEST}"
    text = describe_user(UserContext(first_request=first), redact=True)
    assert text is not None
    assert redact_text(text).kinds == ("AWS access key",)
    assert text.endswith("x…")
