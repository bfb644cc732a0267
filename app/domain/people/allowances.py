"""Allowances: which models a role may use, and how much a role or a person may spend. Owners and admins set them.

A person's own budget for a time stands in the place of that of their role. A role without a list may use every model.

>>> allows(("anthropic:*", "openai:gpt-5-mini"), "anthropic:claude-haiku-4-5")
True
>>> allows((), "anthropic:claude-haiku-4-5"), allows(None, "anthropic:claude-haiku-4-5")
(False, True)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.domain.costs.budgets import SpendingBudget
from app.domain.errors import ForbiddenError, InputError
from app.domain.people.people import Role

MAX_PATTERNS: Final = 200
MAX_PATTERN: Final = 200

_PATTERN: Final = re.compile(r"[^\s:*]+:[^\s]+|\*")


class ModelNotAllowedError(ForbiddenError):
    """The role of a person may not use this model."""

    def __init__(self, model: str) -> None:
        super().__init__(
            f"Your role may not use {model}. Nothing was sent. "
            "Choose another model, or ask an owner or admin to allow it."
        )
        self.model = model


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a person may use and spend. `models` are patterns; None: all. `budgets` are of all they spend."""

    models: tuple[str, ...] | None = None
    budgets: tuple[SpendingBudget, ...] = ()


EVERYTHING: Final = Allowance()


@dataclass(frozen=True, slots=True)
class RoleAllowance:
    """What each person with a role may use and spend. `models` None: all."""

    role: Role
    models: tuple[str, ...] | None
    budgets: tuple[SpendingBudget, ...]


@dataclass(frozen=True, slots=True)
class PersonAllowance:
    """What one person may spend, in the place of what their role may in the same time."""

    person_id: str
    name: str
    budgets: tuple[SpendingBudget, ...]


def allows(models: Sequence[str] | None, model: str) -> bool:
    """Tell whether one of the patterns fits. "*" stands for any characters; None: every model may be used."""
    return models is None or any(_fits(pattern, model) for pattern in models)


def clean_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns as they are stored, each once.

    Raises:
        InputError: one cannot be the name of a model, or there are too many.
    """
    cleaned = tuple(dict.fromkeys(text for one in patterns if (text := one.strip())))
    if len(cleaned) > MAX_PATTERNS:
        raise InputError("models", f"has {MAX_PATTERNS} lines at most.")
    for one in cleaned:
        if len(one) > MAX_PATTERN or not _PATTERN.fullmatch(one) or not one.isprintable():
            raise InputError("models", 'has lines such as "anthropic:claude-haiku-4-5" or "openai:*", or "*" for all.')
    return cleaned


def choose_budgets(
    of_role: Iterable[SpendingBudget], of_person: Iterable[SpendingBudget]
) -> tuple[SpendingBudget, ...]:
    """Return the budgets that hold for a person: one for each time, their own before that of their role."""
    chosen = {one.span: one for one in of_role} | {one.span: one for one in of_person}
    return tuple(replace(one, given=True) for one in chosen.values())


def _fits(pattern: str, model: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), model) is not None
