from __future__ import annotations

import pytest

from app.domain.settings.preferences import Preferences
from app.domain.settings.rate_limits import (
    NO_RATE_LIMIT,
    NO_RATE_LIMITS,
    RateLimit,
    RateScope,
    describe_wait,
    parse_rate_limit,
    refuse_sends,
    stricter,
)


def test_nothing_is_limited_unless_a_person_sets_a_limit() -> None:
    assert Preferences().rate_limits == NO_RATE_LIMITS


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", NO_RATE_LIMIT),
        ("1 send/minute", RateLimit(sends=1)),
        ("500 tokens/day", RateLimit(tokens=500)),
        ("500 tokens/day,10 sends/minute", RateLimit(10, 500)),
    ],
)
def test_limits_are_read_and_written_in_the_same_form(text: str, limit: RateLimit) -> None:
    assert parse_rate_limit(text) == limit
    assert parse_rate_limit(str(limit)) == limit


@pytest.mark.parametrize("text", ["10", "10/minute", "0 sends/minute", "1 sends/minute, 2 sends/minute", "5 sends/day"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\d"):
        parse_rate_limit(text)


def test_lower_limit_of_two_sources_applies() -> None:
    assert stricter(RateLimit(sends=10), RateLimit(sends=3, tokens=7)) == RateLimit(3, 7)


def test_refusal_says_who_may_send_how_much_and_when_again() -> None:
    error = refuse_sends(RateScope.ADDRESS, 1, 3)

    assert str(error) == "Your IP address can send 1 message per minute. Nothing was sent. Try again in 3 seconds."
    assert describe_wait(7_201) == "3 hours"
