"""The costs of slow checks and the order of waiting ones, with times that the test gives."""

from __future__ import annotations

from app.schema_check import check_costs
from app.schema_check.check_costs import Costs, FairQueue, Slow, without_notes

SCHEMA = '{"title": "One", "properties": {"a": {"pattern": "^(a+)+$"}}}'


def test_costs_count_for_a_window_and_quick_checks_are_free() -> None:
    paid = Costs()
    paid.charge("a", check_costs.SLOW_SECONDS / 2, 0.0)
    paid.charge("a", check_costs.MAX_SPENT - 1, 0.0)
    paid.charge("a", 1.0, 30.0)

    assert [paid.is_spent("a", now) for now in (30.0, 59.9, 60.0)] == [True, True, False]
    assert (paid.spent("a", 60.0), paid.spent("a", 90.0), paid.spent("b", 30.0)) == (1.0, 0.0, 0.0)


def test_accounts_that_are_kept_have_a_bound() -> None:
    paid = Costs()
    for number in range(check_costs.MAX_ACCOUNTS + 1):
        paid.charge(str(number), 1.0, 0.0)

    assert (paid.spent("0", 0.0), paid.spent("1", 0.0)) == (0.0, 1.0)


def test_slow_pattern_is_remembered_with_the_shortest_text_it_was_slow_on() -> None:
    slow = Slow()
    slow.note(SCHEMA, ("^(a+)+$", 60), 0.0)
    slow.note(SCHEMA, ("^(a+)+$", 40), 1.0)
    slow.note(SCHEMA, ("^(a+)+$", 50), 2.0)

    assert slow.patterns(61.9) == {"^(a+)+$": 40}
    assert slow.patterns(62.0) == {}
    assert not slow.has(SCHEMA, 2.0)


def test_schema_that_was_slow_is_known_under_another_title_for_a_window() -> None:
    slow = Slow()
    slow.note(SCHEMA, None, 0.0)

    assert slow.has(SCHEMA.replace("One", "Two"), 59.9)
    assert not slow.has(SCHEMA.replace("One", "Two"), 60.0)
    assert not slow.has(SCHEMA.replace('"a"', '"b"'), 0.0)


def test_pattern_that_is_too_long_to_be_remembered_has_its_schema_remembered() -> None:
    slow = Slow()
    slow.note(SCHEMA, ("a" * (check_costs.MAX_PATTERN + 1), 1), 0.0)

    assert slow.has(SCHEMA, 0.0)
    assert slow.patterns(0.0) == {}


def test_what_is_remembered_has_a_bound() -> None:
    slow = Slow()
    for number in range(check_costs.MAX_REMEMBERED + 1):
        slow.note(SCHEMA, (str(number), 1), 0.0)

    assert len(slow.patterns(0.0)) == check_costs.MAX_REMEMBERED
    assert "0" not in slow.patterns(0.0)


def test_property_called_title_is_no_title() -> None:
    assert "title" in without_notes('{"properties": {"title": {"type": "string"}}}')


def test_account_that_spent_least_is_next_and_equals_take_turns() -> None:
    turns = FairQueue[str]()
    for item in ("a1", "a2", "a3", "b1", "b2", "c1"):
        turns.add(item[0], item)
    spent = {"a": 2.0, "b": 0.0, "c": 0.0}

    assert [turns.take(lambda account: spent[account]) for _ in range(6)] == ["b1", "c1", "b2", "a1", "a2", "a3"]
