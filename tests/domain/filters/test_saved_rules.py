from __future__ import annotations

import pytest

from app.domain.errors import ConflictError, InputError
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.lexer import MAX_LENGTH
from app.domain.filters.saved_rules import (
    MAX_SAVED,
    list_used,
    list_users,
    read_savable,
    rename_use,
    require_name,
    uses,
)

SAVED = {"good": "s>=2", "best": "@good b", "new": "r10 @best", "other": "e"}


@pytest.mark.parametrize("name", ["good", "Best-of_2025", "große", "x" * 60])
def test_a_name_that_can_follow_an_at_sign_is_taken(name: str) -> None:
    require_name(name)


@pytest.mark.parametrize("name", ["", "two words", "a.b", "@good", "x" * 61, "a\n", "a'b"])
def test_a_name_that_cannot_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="name"):
        require_name(name)


def test_what_a_filter_uses_is_found_through_others() -> None:
    assert list_used("@new | e", SAVED) == ("best", "good", "new")
    assert list_users("good", SAVED) == ("best", "new")
    assert uses(SAVED["new"], "best")
    assert not uses(SAVED["new"], "good")


@pytest.mark.parametrize(
    ("line", "position"), [("@mine", 0), ("s2 @new2", 3), ("s2 @unknown", 3), ("s7", 1), ("b :flag", 2)]
)
def test_an_invalid_filter_is_not_saved_and_the_place_is_reported(line: str, position: int) -> None:
    with pytest.raises(FilterError) as caught:
        read_savable("mine", line, {**SAVED, "new2": "@mine"})

    assert caught.value.position == position


def test_an_empty_filter_is_not_saved() -> None:
    with pytest.raises(InputError, match="is empty"):
        read_savable("mine", "  ", SAVED)


def test_a_change_that_would_break_a_filter_using_it_is_refused() -> None:
    large = " ".join(["s1"] * 150)

    with pytest.raises(InputError, match="@twice uses @part and could no longer be used"):
        read_savable("part", large, {"part": "s1", "twice": "@part | !@part"})


def test_the_number_of_saved_filters_is_limited() -> None:
    full = {f"f{number}": "b" for number in range(MAX_SAVED)}

    read_savable("f0", "e", full)
    with pytest.raises(ConflictError, match="which is the maximum"):
        read_savable("one-more", "e", full)


def test_a_new_name_replaces_the_old_one_and_nothing_else_changes() -> None:
    line = "s2  @good|( @goods & !@good ) c'@good'"

    assert rename_use(line, "good", "best") == "s2  @best|( @goods & !@best ) c'@good'"


def test_a_name_that_makes_a_line_too_long_is_refused() -> None:
    line = f"@a c'{'x' * (MAX_LENGTH - 6)}'"

    with pytest.raises(InputError, match="more than 4,000 characters"):
        rename_use(line, "a", "b" * 10)
