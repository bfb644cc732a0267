"""What can go wrong: Inview refused a request, or a stream could not be taken up again."""

from __future__ import annotations

import json
from typing import Any, Final

_TYPES: Final = "urn:inview:problem:"


class InviewError(Exception):
    """A refusal. `problem` is its RFC 9457 document, `kind` the stable end of its type, such as `not-found`."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.kind = str(problem.get("type", "")).removeprefix(_TYPES)
        super().__init__(f"{status}: {problem.get('detail') or problem.get('title') or 'no reason given'}")


class StreamLostError(Exception):
    """A run's events did not go on after several attempts. Its reply does: follow it again from `after`."""

    def __init__(self, run_id: str, after: int) -> None:
        self.run_id = run_id
        self.after = after
        super().__init__(f"The events of run {run_id} could not be read beyond {after}. Follow it again from there.")


def describe_refusal(status: int, content: bytes) -> InviewError:
    """The error for a refusal. A proxy sends no problem document: its text is then the detail."""
    try:
        problem: Any = json.loads(content)
    except ValueError:
        problem = {"detail": content.decode(errors="replace")[:500]}
    return InviewError(status, problem)
