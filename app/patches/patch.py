"""A patch: the operations that turn one value into another.

In JSON an operation is a list: its sign, the path of the changed part, and the detail. `apply.ts` reads this form.

    >>> Append((99, "text"), " more").wire()
    ['+', (99, 'text'), ' more']
    >>> Rebuild((), (Span(0, 2), NewItems(("c",)))).wire()
    ['#', (), [[0, 2], {'new': ('c',)}]]
"""

from __future__ import annotations

from dataclasses import dataclass

ValuePath = tuple[str | int, ...]
"""The path of a part in a value: names of fields and positions in lists. Empty for the value itself."""


@dataclass(frozen=True, slots=True)
class Append:
    """The operation that adds `text` to the end of the string at `path`."""

    path: ValuePath
    text: str

    def wire(self) -> list[object]:
        return ["+", self.path, self.text]


@dataclass(frozen=True, slots=True)
class Replace:
    """The operation that puts another value at `path`."""

    path: ValuePath
    value: object

    def wire(self) -> list[object]:
        return ["=", self.path, self.value]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a `Rebuild`: items of the old list, from `start` up to but not including `stop`."""

    start: int
    stop: int

    def wire(self) -> object:
        return [self.start, self.stop]


@dataclass(frozen=True, slots=True)
class NewItems:
    """A piece of a `Rebuild`: items that the old list does not have."""

    items: tuple[object, ...]

    def wire(self) -> object:
        return {"new": self.items}


@dataclass(frozen=True, slots=True)
class Rebuild:
    """The operation that builds the list at `path` again, from spans of the old list and from new items."""

    path: ValuePath
    pieces: tuple[Span | NewItems, ...]

    def wire(self) -> list[object]:
        pieces = [
            [piece.start, piece.stop] if isinstance(piece, Span) else {"new": piece.items} for piece in self.pieces
        ]
        return ["#", self.path, pieces]


Op = Append | Replace | Rebuild


@dataclass(frozen=True, slots=True)
class Patch:
    """The operations that turn the old value into the new one, in order. Without operations, the values are equal."""

    ops: tuple[Op, ...]

    def wire(self) -> list[list[object]]:
        return [op.wire() for op in self.ops]

    def values(self) -> tuple[object, ...]:
        """Return the whole values in the patch: the values that replace an old value, and the new items of lists.

        Texts that are appended to an old text are not included.
        """
        replaced = [op.value for op in self.ops if isinstance(op, Replace)]
        pieces = [piece for op in self.ops if isinstance(op, Rebuild) for piece in op.pieces]
        return (*replaced, *[piece.items for piece in pieces if isinstance(piece, NewItems)])


@dataclass(frozen=True, slots=True)
class FullValue:
    """A new value that is sent whole, because it shares nothing with the old one."""

    value: object
