"""Every difference, applied to the old value, gives the new one: in Python, and the same in TypeScript."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.patches.apply import apply, plain
from app.patches.diff import diff
from app.patches.patch import Append, FullValue, NewItems, Patch, Rebuild, Replace, Span
from tests.effort import examples
from tests.node import NODE
from tests.patches.rows import ROWS, VALUES, Row, same

SCRIPT = Path(__file__).parents[2] / "app/patches/apply.ts"
MANY = tuple(Row(at, f"text {at}") for at in range(100))


@settings(max_examples=examples(400), deadline=None)
@given(VALUES, VALUES)
def test_any_value_becomes_any_other(old: Any, new: Any) -> None:
    assert same(apply(plain(old), diff(old, new)), plain(new))


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(ROWS, max_size=12), st.lists(ROWS, max_size=12))
def test_any_list_of_rows_becomes_any_other_even_if_ids_repeat(old: list[Row], new: list[Row]) -> None:
    assert same(apply(plain(old), diff(old, new)), plain(new))


@given(VALUES)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert diff(value, value) == Patch(())


def test_a_text_that_grows_is_one_operation() -> None:
    grown = (*MANY[:-1], dataclasses.replace(MANY[-1], text="text 99 and more"))

    assert diff(MANY, grown) == Patch((Append((99, "text"), " and more"),))


def test_an_item_that_comes_and_one_that_goes_leave_the_others_where_they_are() -> None:
    new = Row(-1)

    assert diff(MANY, (new, *MANY[:-1])) == Patch((Rebuild((), (NewItems((new,)), Span(0, 99))),))


def test_another_selection_has_only_the_items_that_were_not_there() -> None:
    selected = (*MANY[10:20], *MANY[40:50], Row(200))

    pieces = (Span(10, 20), Span(40, 45), NewItems((*MANY[45:50], Row(200))))
    assert diff(MANY[:45], selected) == Patch((Rebuild((), pieces),))


def test_an_item_may_move_and_change_at_once() -> None:
    starred = dataclasses.replace(MANY[0], stars=1)

    ops = (Rebuild((), (Span(2, 3), Span(0, 2))), Replace((1, "stars"), 1))
    assert diff(MANY[:3], (MANY[2], starred, MANY[1])) == Patch(ops)


def test_a_value_that_shares_nothing_is_whole() -> None:
    assert diff(MANY[:3], MANY[3:5]) == FullValue(MANY[3:5])
    assert diff(None, Row(1)) == FullValue(Row(1))


def test_numbers_differ_as_json_does() -> None:
    assert diff((1,), (True,)) == Patch((Replace((0,), value=True),))
    assert diff((0.0,), (-0.0,)) == Patch((Replace((0,), -0.0),))
    nan = float("nan")
    assert diff((nan,), (float("nan"),)) == Patch(())


PROGRAM = f"""
  import {{ apply }} from {json.dumps(str(SCRIPT))};
  import assert from "node:assert";
  import {{ readFileSync }} from "node:fs";
  const isObject = (value) => value && typeof value === "object";
  const freeze = (value) => (isObject(value) && Object.values(Object.freeze(value)).forEach(freeze), value);
  for (const {{ old, ops, expected }} of JSON.parse(readFileSync(0, "utf8")))
    assert.deepStrictEqual(apply(freeze(old), freeze(ops)), expected);
"""


@settings(
    max_examples=examples(6), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.lists(st.tuples(VALUES, VALUES) | st.tuples(st.lists(ROWS), st.lists(ROWS)), min_size=40, max_size=80))
def test_typescript_does_the_same(pairs: list[tuple[Any, Any]]) -> None:
    cases = [
        {"old": plain(old), "ops": [_plain_op(op) for op in change.wire()], "expected": apply(plain(old), change)}
        for old, new in pairs
        if isinstance(change := diff(old, new), Patch)
    ]

    command = [NODE, "--input-type=module", "-e", PROGRAM]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 0, done.stderr


def _plain_op(op: list[object]) -> list[object]:
    """Return an operation as JSON has it."""
    sign, path, detail = op
    if sign != "#":
        return [sign, path, plain(detail)]
    pieces: Any = detail
    return [sign, path, [{"new": plain(each["new"])} if isinstance(each, dict) else each for each in pieces]]
