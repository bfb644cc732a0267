"""Saved filters: `@name` is replaced by the filter saved under that name, in parentheses.

>>> from app.domain.filters.language.parser import parse_filter
>>> expand_saved(parse_filter("@good r9"), {"good": "s3"})
And(terms=(Stars(op=<Op.EQUAL: '='>, stars=3), Recent(count=9)))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.domain.filters.language.errors import FilterError, show
from app.domain.filters.language.parser import MAX_TERMS, MAX_TREE_DEPTH, parse_filter
from app.domain.filters.language.syntax import And, Everything, Expression, Filter, Not, Or, Saved, all_of, any_of

UNREADABLE: Final = "(cannot be read"
"""The text of a saved filter that cannot be read. This text is no valid filter, so a filter that uses it is refused."""
MAX_NESTED = 20
"""Maximum depth of nested saved filters."""


def expand_saved(tree: Filter, saved: Mapping[str, str]) -> Filter:
    """Replace every `@name` in a filter's tree by the filter that is saved under this name.

    Raises:
        FilterError: an `@name` has no filter, an invalid one, or one that uses itself; or the nesting is too deep.
    """
    return tree if isinstance(tree, Everything) else _Expansion(saved).expand(tree)


class _Expansion:
    """The state while `@name` is replaced in one line: the saved filters read so far, and the number of terms."""

    def __init__(self, saved: Mapping[str, str]) -> None:
        self._saved = saved
        self._read: dict[str, Expression] = {}
        self._terms = 0

    def expand(self, tree: Expression, way: tuple[Saved, ...] = (), depth: int = 0) -> Expression:
        """Return the tree with its saved filters replaced.

        `way` are the saved filters that contain this tree, outermost first.
        """
        match tree:
            case Saved():
                return self.expand(self._filter_of((*way, tree)), (*way, tree), depth)
            case And(terms):
                return all_of(*(self.expand(term, way, depth + 1) for term in terms))
            case Or(terms):
                return any_of(*(self.expand(term, way, depth + 1) for term in terms))
            case Not(term):
                return Not(self.expand(term, way, depth + 1))
            case _:
                self._count(way, depth)
                return tree

    def _count(self, way: tuple[Saved, ...], depth: int) -> None:
        self._terms += 1
        if way and (self._terms > MAX_TERMS or depth > MAX_TREE_DEPTH):
            raise _refuse(way, "a smaller filter", "The filter is too large with its saved filters expanded.")

    def _filter_of(self, way: tuple[Saved, ...]) -> Expression:
        name = way[-1].name
        if name not in self._read:
            self._read[name] = _read(way, self._saved)
        if name in {passed.name for passed in way[:-1]}:
            steps = " → ".join(f"@{passed.name}" for passed in way)
            raise _refuse(way, "a filter that does not refer to itself", f"The references are {steps}.")
        if len(way) > MAX_NESTED:
            raise _refuse(way, f"at most {MAX_NESTED} saved filters within each other")
        return self._read[name]


def _read(way: tuple[Saved, ...], saved: Mapping[str, str]) -> Expression:
    name = way[-1].name
    if name not in saved:
        known = ", ".join(f"@{known}" for known in saved) or "none yet"
        raise _refuse(way, "the name of a saved filter", f'No filter is saved as "{show(name)}". Saved: {known}.')
    if saved[name] == UNREADABLE:
        raise _refuse(way, "a filter that can be used", f"The saved filter @{name} cannot be read.")
    try:
        tree = parse_filter(saved[name])
    except FilterError as error:
        hint = f"@{name} is {show(saved[name])}, which is not a valid filter: {error.message}"
        raise _refuse(way, "a filter that can be used", hint) from error
    if isinstance(tree, Everything):
        raise _refuse(way, "a filter that is not empty", f"@{name} is saved as an empty filter.")
    return tree


def _refuse(way: tuple[Saved, ...], expected: str, hint: str = "") -> FilterError:
    return FilterError(way[0].position, f"@{way[0].name}", expected, hint)
