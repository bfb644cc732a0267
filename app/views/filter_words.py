"""Filters described in the reader's language: what one selects, and the meaning of its words."""

from __future__ import annotations

from app.domain.filters.bar.description import describe_filter
from app.domain.filters.language.syntax import Filter
from app.language.translation import translate


def say_filter(key: str, /, **values: object) -> str:
    """Say a text of `app.domain.filters.bar.words`."""
    return translate(f"filter_words.{key}", **values)


def describe_selected(tree: Filter) -> str:
    """What a filter selects."""
    return describe_filter(tree, say_filter)
