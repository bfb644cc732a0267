"""The number of cases in a test run: a part in the gate (`make test`), everything in `make test-all`. All are here.

    EFFORT.identity            # 300 sends in the gate, 10,000 in `make test-all`
    examples(300)              # 25 in the gate, 300 in `make test-all`

The two runs differ in these numbers and in the marker `exhaustive`: only `make test-all` runs tests with this marker.
`EFFORT=all pytest tests/identity` tries everything in one folder.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Effort:
    """Numbers of random cases.

    Attributes:
        examples: of a property, at most.
        identity: sends that are compared with what is in view, through the API.
        page_identity: the same, through the page.
        wire: conversations whose preview is compared with the bytes that arrive.
        kills: of a process that streams, and of a process at work.
        sequences: of work by a person.
        ledgers: that grow by a dozen random steps.
        patches: sequences of changes to a page in a browser.
        drafts: sequences of a person who types, sends, edits, switches and reloads.
        controls: of a page that are clicked before a sentence is typed.
        requests: that schemathesis makes for an operation in a phase.
        phases: of schemathesis.
        shapes: of streams that a reader of a protocol is given.
        cuts: of a text into pieces, for the reader of Markdown. Every fourth has pieces of the same size.
    """

    examples: int
    identity: int
    page_identity: int
    wire: int
    kills: int
    sequences: int
    ledgers: int
    patches: int
    drafts: int
    controls: int
    requests: int
    phases: str
    shapes: int
    cuts: int


GATE: Final = Effort(
    examples=25,
    identity=300,
    page_identity=4,
    wire=60,
    kills=10,
    sequences=20,
    ledgers=3,
    patches=100,
    drafts=1,
    controls=5,
    requests=2,
    phases="examples,fuzzing",
    shapes=500,
    cuts=4,
)
ALL: Final = Effort(
    examples=10_000,
    identity=10_000,
    page_identity=100,
    wire=1_000,
    kills=200,
    sequences=1_000,
    ledgers=15,
    patches=1_000,
    drafts=30,
    controls=1_000,
    requests=10,
    phases="examples,coverage,fuzzing,stateful",
    shapes=20_000,
    cuts=12,
)
TRIES_ALL: Final = os.environ.get("EFFORT") == "all"
EFFORT: Final = ALL if TRIES_ALL else GATE


def examples(number: int) -> int:
    """Return the number of examples of a property in this run. `number` is the number for a full run."""
    return min(number, EFFORT.examples)
