"""A copy with other fields is the one that `dataclasses.replace` makes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from app.domain.conversation.parts import Text
from app.domain.copying import copy_with
from app.domain.run.state import RunStart, RunState

STATE = RunState(RunStart("r1", "p1", "offline:demo", "hash"), parts=(Text("Hel"),), part_open=True, size=3)


@dataclass(frozen=True)
class WithoutSlots:
    text: str = ""


@dataclass(frozen=True, slots=True)
class Computed:
    text: str = ""
    length: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.text))


def test_copy_is_that_of_replace() -> None:
    parts = (Text("Hello"),)

    copy = copy_with(STATE, parts=parts, size=5)

    assert copy == replace(STATE, parts=parts, size=5)
    assert (copy.size, copy.parts, type(copy)) == (5, parts, RunState)
    assert (STATE.size, STATE.parts) == (3, (Text("Hel"),))


def test_parts_of_the_copy_are_the_same_objects() -> None:
    copy = copy_with(STATE, size=5)

    assert copy.parts is STATE.parts
    assert copy.start is STATE.start


@pytest.mark.parametrize(
    ("value", "changes"), [(STATE, {"words": 1}), (WithoutSlots(), {"text": "a"}), (Computed(), {"text": "a"})]
)
def test_what_would_not_be_as_by_replace_is_refused(value: object, changes: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="cannot be copied"):
        copy_with(value, **changes)
