"""A comparison: one request put to several models side by side, of which one reply is kept.

    >>> require_models(("offline:demo", "offline:demo"))
    Traceback (most recent call last):
    app.domain.errors.InputError: models: names 'offline:demo' twice.

Each model's run has a `tool` conversation of its own; in the conversation itself nothing changes until one is kept. Not
here: storing it (`store/run/comparisons.py`) and starting, keeping and discarding (`runs/resend/comparisons.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation.conversation import Parameters
from app.domain.errors import ConflictError, InputError

LEAST_MODELS = 2
MAX_MODELS = 4


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One model's part: where its run is, and which pairs went with its request, as ranges of positions."""

    conversation_id: str
    pair_id: str
    run_id: str
    model: str
    sent: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One request and the runs that answer it. `closed_at`: when it was discarded; None: it is open.

    `pair_id`: the pair that is answered again, and `request_id` the request of it that is asked; None: a new one is to
    be. `gone`: the pairs after it that leave the history when a reply is kept.
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
        """The part of this model.

        Raises:
            InputError: it is not among them.
        """
        for run in self.runs:
            if run.model == model:
                return run
        raise InputError(
            "model", f"{model!r} is not among those compared: {', '.join(one.model for one in self.runs)}."
        )


class ComparingError(ConflictError):
    """Replies are being compared in the conversation: one of them is to be kept, or all discarded, before a send."""

    def __init__(self) -> None:
        super().__init__("Replies are being compared here. Keep one of them or discard them first.")


def require_models(models: Sequence[str]) -> None:
    """Refuse what cannot be compared.

    Raises:
        InputError: there are too few or too many models, or one of them twice.
    """
    if not LEAST_MODELS <= len(models) <= MAX_MODELS:
        raise InputError("models", f"are {len(models)}. Compare {LEAST_MODELS} to {MAX_MODELS}.")
    for at, model in enumerate(models):
        if model in models[:at]:
            raise InputError("models", f"names {model!r} twice.")
