"""Messages of a connection: the whole value at first, then patches, and the whole again after a hydrate."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from app.patches.connection import Connection
from tests.patches.rows import Row

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
