"""A comparison: several models answer one request side by side, and the user keeps one reply.

    >>> require_models(("offline:demo", "offline:demo"))
    Traceback (most recent call last):
    app.domain.errors.InputError: models: names 'offline:demo' twice.

The run of each model is in a separate conversation of kind `tool`. The user's conversation does not change until a
reply is kept. Not here: storing comparisons (`store/compare/comparisons.py`), and starting, keeping and discarding them
(`runs/compare/comparisons.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation.conversation import Pair, Parameters
from app.domain.errors import ConflictError, InputError

LEAST_MODELS = 2
MAX_MODELS = 4


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """The run of one compared model. `sent` are the pairs in its request, as ranges of positions."""

    conversation_id: str
    pair_id: str
    run_id: str
    model: str
    sent: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One request and the runs that answer it.

    - `closed_at`: the time when the comparison was discarded; None while it is open.
    - `pair_id`, `request_id`: the pair that is answered again, and its request; None if the kept reply makes a new
      pair.
    - `gone`: the later pairs that are deleted when a reply is kept.
    """

    id: str
    conversation_id: str
    text: str
    topic: str | None
    parameters: Parameters
    runs: tuple[ComparedRun, ...]
    created_at: datetime
    closed_at: datetime | None = None
    pair_id: str | None = None
    request_id: str | None = None
    gone: tuple[str, ...] = ()

    def run_of(self, model: str) -> ComparedRun:
        """Return the run of this model.

        Raises:
            InputError: the comparison does not include this model.
        """
        for run in self.runs:
            if run.model == model:
                return run
        raise InputError(
            "model", f"{model!r} is not one of the compared models: {', '.join(one.model for one in self.runs)}."
        )


@dataclass(frozen=True, slots=True)
class ChosenRun:
    """The run whose reply is kept: its place among the runs of the comparison, and the stored pairs of all runs."""

    comparison: Comparison
    pairs: Sequence[Pair]
    place: int

    @property
    def pair(self) -> Pair:
        return self.pairs[self.place]

    @property
    def version(self) -> int:
        """The number of the kept reply among the new versions of the pair."""
        return self.place + 1


class ComparingError(ConflictError):
    """Error: the conversation has an open comparison.

    Before the next send, a person must keep one reply or discard all.
    """

    def __init__(self) -> None:
        super().__init__("A comparison is open in this conversation. Keep or delete its replies first.")


def require_models(models: Sequence[str]) -> None:
    """Refuse models that cannot be compared.

    Raises:
        InputError: there are too few or too many models, or one occurs twice.
    """
    if not LEAST_MODELS <= len(models) <= MAX_MODELS:
        raise InputError("models", f"are {len(models)} models. Compare {LEAST_MODELS} to {MAX_MODELS} models.")
    for at, model in enumerate(models):
        if model in models[:at]:
            raise InputError("models", f"names {model!r} twice.")
