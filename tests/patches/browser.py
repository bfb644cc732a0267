"""The values of a browser, computed in Python from the frames that it receives, as `apply.ts` computes them.

browser = Browser()
browser.receive('0/_event,{"sid":"a"}')    # a new connection
browser.receive('2/_event,["event",{"delta":{"root":{"rows_rx_state_":{"$rev":["a",1],"whole":[]}}}}]')
browser.values["root", "rows_rx_state_"]    # []
browser.misses                              # True: a patch did not fit, so the page requests all values
"""

# Values from JSON have no types.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from app.patches.apply import Reader, apply
from app.patches.patch import Append, NewItems, Op, Patch, Rebuild, Replace, Span

Name = tuple[str, str]
"""The name of a var: the state and the var."""


@dataclass(eq=False)
class Browser:
    """A browser. `misses` is set when a patch does not fit; a test that requests all values clears it."""

    values: dict[Name, Any] = field(default_factory=dict[Name, Any])
    misses: bool = False
    _reader: Reader = field(default_factory=Reader)
    _revisions: dict[Name, tuple[str, int]] = field(default_factory=dict[Name, tuple[str, int]])

    def receive(self, frame: str) -> None:
        """Apply the delta of a frame, if it has one."""
        for state, values in self._reader.delta_in(frame.partition(",")[2]).items():
            for name, sent in values.items():
                self._take((state, name), sent)

    def _take(self, var: Name, sent: Any) -> None:
        message = cast("dict[str, Any]", sent) if isinstance(sent, dict) else {}
        if "$rev" not in message:
            self._revisions.pop(var, None)
            self.values[var] = sent
            return
        connection, number = message["$rev"]
        held_connection, held_number = self._revisions.get(var, ("", 0))
        if connection == held_connection and number <= held_number:
            return  # already received
        if "whole" in message:
            self.values[var] = message["whole"]
        elif connection == held_connection and number == held_number + 1:
            self.values[var] = apply(self.values[var], Patch(tuple(map(_read_op, message["patch"]))))
        else:
            self.misses = True
            return
        self._revisions[var] = connection, number


def _read_op(op: list[Any]) -> Op:
    sign, path, detail = op
    match sign:
        case "+":
            return Append(tuple(path), detail)
        case "=":
            return Replace(tuple(path), detail)
        case _:
            pieces = (NewItems(tuple(each["new"])) if isinstance(each, dict) else Span(*each) for each in detail)
            return Rebuild(tuple(path), tuple(pieces))
