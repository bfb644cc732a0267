"""Frames that have only a text: the reader in Python and the one in TypeScript add the same names."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.patches.apply import Reader, head_of_text
from tests.effort import examples
from tests.node import NODE

SCRIPT = Path(__file__).parents[2] / "app/patches/apply.ts"
CONNECTED = '{"sid":"a"}'
FIRST = '["event",{"delta":{"state":{"rows":{"$rev":["a",5],"place":3,"patch":[["+",[1,"text"],"Once"]]}}}}]'
OTHERS = (
    CONNECTED,
    FIRST,
    FIRST.replace('"rows"', '"dialog"').replace('"place":3', '"place":4').replace('[1,"text"]', "[]"),
    '["event",{"delta":{"state":{"rows":{"$rev":["a",4],"whole":[]},"title":"x"},"other":{"n":1}}}]',
    '["event",{"delta":{"state":{"rows":{"$rev":["a",7],"patch":[["=",[0],null]]}}}}]',
    '["event",{"events":[]}]',
    '["new_token","b"]',
)
TEXTS = ("", " upon", '\n"quoted" \\ +3,0G', "é😀\u2028\x00", "7")


def added(place: int, number: int, text: str) -> str:
    return head_of_text(place, number) + text


def delta(text: str, number: int = 6) -> dict[str, Any]:
    """Return the delta that adds a text at the place of `FIRST`."""
    return {"state": {"rows": {"$rev": ["a", number], "patch": [["+", [1, "text"], text]]}}}


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_a_text_without_names_is_added_at_the_place_of_the_last_patch(text: str) -> None:
    reader = Reader()

    assert reader.delta_in(FIRST) == json.loads(FIRST)[1]["delta"]
    assert reader.delta_in(added(3, 6, text)) == delta(text)
    assert reader.delta_in(added(3, 1_000, text)) == delta(text, 1_000)


@pytest.mark.parametrize("between", OTHERS[3:])
def test_other_frames_do_not_change_the_place(between: str) -> None:
    reader = Reader()
    reader.delta_in(FIRST)
    reader.delta_in(between)

    assert reader.delta_in(added(3, 9, "!")) == delta("!", 9)


@pytest.mark.parametrize("before", [(), (FIRST, CONNECTED), (FIRST, OTHERS[2])])
def test_a_text_for_an_unknown_place_is_not_added(before: tuple[str, ...]) -> None:
    reader = Reader()
    for data in before:
        reader.delta_in(data)

    assert reader.delta_in(added(3, 6, "!")) == {}


PROGRAM = f"""
  import {{ createReader }} from {json.dumps(str(SCRIPT))};
  import {{ readFileSync }} from "node:fs";
  const read = (frames) => frames.map(createReader(JSON.parse)).map((data) => data[1]?.delta ?? {{}});
  process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(read)));
"""


def test_typescript_does_the_same() -> None:
    chance = random.Random(1)
    sequences: list[list[str]] = [[]]
    for _ in range(examples(200)):
        texts = [
            added(chance.choice([1, 3, 3, 4]), chance.choice([1, 25, 26, 27, 1_000]), chance.choice(TEXTS))
            for _ in range(9)
        ]
        sequences.append(chance.sample([*texts, *OTHERS], k=12))

    command = [NODE, "--input-type=module", "-e", PROGRAM]
    done = subprocess.run(command, input=json.dumps(sequences), capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 0, done.stderr
    readers = [(Reader(), frames) for frames in sequences]
    assert json.loads(done.stdout) == [[reader.delta_in(data) for data in frames] for reader, frames in readers]
