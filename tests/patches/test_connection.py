"""Messages of a connection: the whole value at first, then patches, and the whole again after a hydrate."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from app.patches.connection import AddedText, Connection
from tests.patches.rows import Colour, Row

STATE = "reflex___state____state.app___state____chat_state"
ROWS = (Row(1, "one"), Row(2, "two"))


def sent(connection: Connection, value: Any, name: str = "rows") -> Any:
    """Return the message if the var has this value now, or () if nothing is sent."""
    news = connection.news({STATE: {name: value}})
    return news[STATE][name].value if news else ()


def test_a_var_is_sent_whole_at_first_and_then_as_what_changed() -> None:
    tab = Connection("a")
    grown = (ROWS[0], dataclasses.replace(ROWS[1], text="two and three"))

    assert sent(tab, ROWS) == {"$rev": ("a", 1), "whole": ROWS}
    assert sent(tab, grown) == {"$rev": ("a", 2), "patch": [["+", (1, "text"), " and three"]]}
    assert sent(tab, grown) == ()
    assert sent(tab, ()) == {"$rev": ("a", 3), "whole": ()}


def test_several_vars_and_states_keep_apart() -> None:
    tab = Connection("a")

    news = tab.news({"one": {"rows": ROWS, "title": "x"}, "two": {"rows": ROWS}})

    assert {state: list(values) for state, values in news.items()} == {"one": ["rows", "title"], "two": ["rows"]}
    assert tab.news({"one": {"rows": ROWS}, "two": {"rows": ROWS[:1]}}).keys() == {"two"}


def test_a_list_that_was_changed_in_place_is_compared_with_what_it_was() -> None:
    tab, rows = Connection("a"), list(ROWS)
    sent(tab, rows)
    rows.append(Row(3))

    assert sent(tab, rows) == {"$rev": ("a", 2), "patch": [["#", (), [[0, 2], {"new": (Row(3),)}]]]}


def test_a_value_that_can_change_in_place_is_sent_as_it_is() -> None:
    tab = Connection("a")

    assert sent(tab, [{"id": 1}]) == [{"id": 1}]
    assert sent(tab, "text") == "text"
    assert sent(tab, None) is None


def test_a_scalar_that_the_browser_has_is_not_sent_again() -> None:
    tab = Connection("a")
    for value in ("", "text", None, 0, 1, True, 1.0, Colour.RED, Colour.BLUE, 0.0, -0.0, float("nan")):
        assert repr(sent(tab, value)) == repr(value)
        assert sent(tab, value) == (), value


def test_a_scalar_is_sent_again_after_a_hydrate_and_after_another_value() -> None:
    tab = Connection("a")
    sent(tab, "text")
    tab.forget()
    assert sent(tab, "text") == "text"

    assert sent(tab, ROWS) == {"$rev": ("a", 1), "whole": ROWS}
    assert sent(tab, "text") == {"$rev": ("a", 2), "whole": "text"}
    assert sent(tab, "text") == ()
    assert sent(tab, [{"id": 1}]) == {"$rev": ("a", 3), "whole": [{"id": 1}]}
    assert sent(tab, "text") == {"$rev": ("a", 4), "whole": "text"}


def test_a_value_that_can_change_in_place_is_always_sent() -> None:
    tab = Connection("a")

    for value in ([{"id": 1}], {"id": 1}, {1}):
        assert sent(tab, value) == value
        assert sent(tab, value) == value


def test_a_var_that_the_browser_itself_may_change_is_always_sent() -> None:
    asked: list[tuple[str, str]] = []

    def is_shared(state: str, name: str) -> bool:
        asked.append((state, name))
        return name == "kept"

    tab = Connection("a", is_shared=is_shared)
    for _ in range(2):
        assert sent(tab, "text", "kept") == "text"
    assert sent(tab, "text") == "text"
    assert sent(tab, "text") == ()
    assert set(asked) == {(STATE, "kept"), (STATE, "rows")}


def test_a_var_with_a_revision_keeps_one_whatever_its_value() -> None:
    tab = Connection("a")
    sent(tab, ROWS[0], "dialog")

    assert sent(tab, None, "dialog") == {"$rev": ("a", 2), "whole": None}
    assert sent(tab, {"id": 1}, "dialog") == {"$rev": ("a", 3), "whole": {"id": 1}}
    assert sent(tab, ROWS[0], "dialog") == {"$rev": ("a", 4), "whole": ROWS[0]}


def test_a_dictionary_that_looks_like_a_revision_is_wrapped_in_one() -> None:
    assert sent(Connection("a"), {"$rev": 1}) == {"$rev": ("a", 1), "whole": {"$rev": 1}}


def test_connections_do_not_share_what_they_hold() -> None:
    one, other = Connection("a"), Connection("b")
    sent(one, ROWS)

    assert sent(other, ROWS) == {"$rev": ("b", 1), "whole": ROWS}


def test_after_a_hydrate_everything_is_whole_and_revisions_continue() -> None:
    tab = Connection("a")
    sent(tab, ROWS)
    tab.forget()

    assert sent(tab, ROWS) == {"$rev": ("a", 2), "whole": ROWS}


def appended(connection: Connection, value: Any) -> Any:
    """Return the message of text that was added to the sent value, or None if this is not all that differs."""
    patch = connection.append(STATE, "rows", value)
    assert not isinstance(patch, AddedText)
    return None if patch is None else patch.value


def test_added_text_is_the_next_revision() -> None:
    tab = Connection("a")
    sent(tab, ROWS)
    grown = (ROWS[0], dataclasses.replace(ROWS[1], text="two and three"))

    assert appended(tab, grown) == {"$rev": ("a", 2), "patch": [["+", (1, "text"), " and three"]]}
    assert sent(tab, grown) == ()
    assert sent(tab, ROWS[:1]) == {"$rev": ("a", 3), "patch": [["#", (), [[0, 1]]]]}


@pytest.mark.parametrize(
    "value",
    [
        ROWS,
        (*ROWS, Row(3)),
        (ROWS[0], dataclasses.replace(ROWS[1], text="t")),
        (ROWS[0], dataclasses.replace(ROWS[1], text="two and three", stars=1)),
        (),
        "text",
        None,
        [{"id": 1}],
    ],
    ids=repr,
)
def test_what_is_not_only_added_text_is_left_for_the_next_delta(value: Any) -> None:
    tab, other = Connection("a"), Connection("a")
    sent(tab, ROWS)
    sent(other, ROWS)

    assert appended(tab, value) is None
    assert sent(tab, value) == sent(other, value)


def test_text_is_added_only_to_what_the_browser_has() -> None:
    tab, grown = Connection("a"), (ROWS[0], dataclasses.replace(ROWS[1], text="two and three"))

    assert appended(tab, grown) is None
    sent(tab, ROWS)
    tab.forget()
    assert appended(tab, grown) is None
    assert sent(tab, grown) == {"$rev": ("a", 2), "whole": grown}


# --- text without names ---


def tab_that_reads_added(rows: Any = ROWS) -> Connection:
    """Return a connection whose browser has these rows and reads texts without names."""
    tab = Connection("a", reads_added=True)
    tab.news({STATE: {"rows": rows}})
    return tab


def rows_with(first: str, second: str) -> Any:
    return dataclasses.replace(ROWS[0], text=first), dataclasses.replace(ROWS[1], text=second)


def append(tab: Connection, first: str, second: str, name: str = "rows") -> Any:
    """Return what is sent for these texts: the message with its names, or only the text."""
    added = tab.append(STATE, name, rows_with(first, second))
    return added if added is None or isinstance(added, AddedText) else added.value


def named(number: int, place: int, row: int, text: str) -> Any:
    return {"$rev": ("a", number), "place": place, "patch": [["+", (row, "text"), text]]}


def test_text_at_the_same_place_again_has_no_names() -> None:
    tab = tab_that_reads_added()

    assert append(tab, "one", "two and") == named(2, 1, 1, " and")
    assert append(tab, "one", "two and th") == AddedText(1, 3, " th")
    assert append(tab, "one", "two and three") == AddedText(1, 4, "ree")
    assert append(tab, "one", "two and three") is None


def test_each_other_place_has_a_new_number() -> None:
    tab = tab_that_reads_added()
    tab.news({STATE: {"other": ROWS}})

    assert append(tab, "one", "two!") == named(2, 1, 1, "!")
    assert append(tab, "one!", "two!") == named(3, 2, 0, "!")
    assert append(tab, "one!", "two!?") == named(4, 3, 1, "?")
    assert append(tab, "one", "two!", name="other") == named(2, 4, 1, "!")
    assert append(tab, "one!", "two!??") == named(5, 5, 1, "?")


def test_other_messages_do_not_change_the_place() -> None:
    tab = tab_that_reads_added()
    append(tab, "one", "two!")
    tab.news({STATE: {"title": "x", "other": ROWS, "rows": rows_with("another", "two!")}})

    assert append(tab, "another", "two!?") == AddedText(1, 4, "?")


def test_text_at_two_places_at_once_has_names_and_no_place() -> None:
    tab = tab_that_reads_added()
    append(tab, "one!", "two")

    both = [["+", (0, "text"), "?"], ["+", (1, "text"), "!"]]
    assert append(tab, "one!?", "two!") == {"$rev": ("a", 3), "patch": both}
    assert append(tab, "one!??", "two!") == AddedText(1, 4, "?")


def test_half_a_character_is_sent_with_names_because_utf_8_has_no_form_for_it() -> None:
    tab = tab_that_reads_added()
    append(tab, "one", "two!")

    assert append(tab, "one", "two!\ud83d") == named(3, 2, 1, "\ud83d")
    assert append(tab, "one", "two!\ud83d\ude00") == named(4, 3, 1, "\ude00")
    assert append(tab, "one", "two!\ud83d\ude00😀") == AddedText(3, 5, "😀")


def test_after_a_hydrate_the_place_is_named_again() -> None:
    tab = tab_that_reads_added()
    append(tab, "one", "two!")
    tab.forget()
    tab.news({STATE: {"rows": rows_with("one", "two!")}})

    assert append(tab, "one", "two!?") == named(4, 2, 1, "?")


def test_a_browser_that_does_not_read_text_without_names_gets_the_names() -> None:
    tab = Connection("a")
    sent(tab, ROWS)
    append(tab, "one", "two!")

    assert append(tab, "one", "two!?") == {"$rev": ("a", 3), "patch": [["+", (1, "text"), "?"]]}


def test_only_what_is_sent_is_asked_for_numbers_that_orjson_cannot_write() -> None:
    tab, odd = Connection("a"), Row(3, share=float("nan"))

    def is_fast(*rows: Row) -> bool:
        return tab.news({STATE: {"rows": rows}})[STATE]["rows"].fast

    assert is_fast(*ROWS)
    assert not is_fast(*ROWS, odd)
    assert is_fast(dataclasses.replace(ROWS[0], text="one more"), ROWS[1], odd)
    assert not is_fast(dataclasses.replace(ROWS[0], share=float("inf")), ROWS[1], odd)
    tab.forget()
    assert not is_fast(odd)
