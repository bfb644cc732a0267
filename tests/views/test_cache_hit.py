from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.usage import Usage
from app.views.screen.pair import show_pair
from tests.builders import a_pair

HIT = replace(a_pair(reply="Yes"), usage=Usage(input_tokens=10, cache_write_tokens=90, cache_read_tokens=300))


def test_a_pair_says_how_much_of_its_request_was_read_from_the_cache() -> None:
    note = show_pair(HIT).cache_hit

    assert note is not None
    assert (note.text, note.title) == ("75% cached", "Cache hit: 300 of 400 input tokens were read from the cache.")


@pytest.mark.parametrize(
    "pair",
    [
        replace(HIT, usage=None),
        replace(HIT, usage=Usage(10, 20, cache_write_tokens=5)),
        replace(HIT, replayed=True),
        replace(HIT, lifecycle=Lifecycle.AWAITING),
    ],
    ids=["not reported", "missed", "replayed", "running"],
)
def test_a_pair_without_a_hit_says_nothing(pair: Pair) -> None:
    assert show_pair(pair).cache_hit is None
