"""The words that describe filters, by key: English here, other languages from the caller.

>>> say_english("stars_at_least", count=2), say_english("stars_equal", count=1), say_english("among_last", count=1_000)
('with 2 or more stars', 'with 1 star', 'among the last 1,000')
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from app.domain.filters.language.commands import COMMANDS, DRY_RUN, CommandRow, FlagRow
from app.domain.filters.language.predicates import PREDICATES


class Say(Protocol):
    """Says a text of a key with its values filled in. A text with a `count` has a form for one and one for others."""

    def __call__(self, key: str, /, **values: object) -> str: ...


_SENTENCE: Mapping[str, str | tuple[str, str]] = {
    "all": "all pairs",
    "pairs": "pairs {what}",
    "pairs_that": "pairs that {what}",
    "or": "or",
    "either": "either {options}",
    "topic": "under {path}",
    "not_topic": "not under {path}",
    "topic_below": "under {path} and below",
    "not_topic_below": "not under {path} or below",
    "chosen_topic": "under the topic now chosen",
    "not_chosen_topic": "not under the topic now chosen",
    "among_chosen": "{among} under the topic now chosen and below",
    "last": "that came last",
    "not_last": "other than the last",
    "among_last": "among the last {count}",
    "not_among_last": "not among the last {count}",
    "flagged": "flagged",
    "not_flagged": "not flagged",
    "marked": "marked {mark}",
    "not_marked": "not marked {mark}",
    "model": "answered by {name}",
    "not_model": "not answered by {name}",
    "chosen_model": "answered by the model now chosen",
    "not_chosen_model": "not answered by the model now chosen",
    "containing": "containing {text}",
    "not_containing": "not containing {text}",
    "and_then": "and then",
    "anything": "anything",
    "attached": "with an image or file",
    "not_attached": "without an image or file",
    "failed": "with an error",
    "not_failed": "without an error",
    "called": "that called the tool {name}",
    "not_called": "that did not call the tool {name}",
    "called_any": "that called a tool",
    "not_called_any": "that did not call a tool",
    "agent": "answered under the agent {name}",
    "not_agent": "not answered under the agent {name}",
    "chosen_agent": "answered under the agent now chosen",
    "not_chosen_agent": "not answered under the agent now chosen",
    "asked": "with a request",
    "not_asked": "without a request",
    "answered": "with a reply",
    "not_answered": "without a reply",
    "cached": "read in part from the provider's cache",
    "not_cached": "not read in part from the provider's cache",
    "context": "within the context boundary",
    "not_context": "beyond the context boundary",
    "context_and": "within the context boundary or at most {count} beyond it",
    "not_context_and": "more than {count} beyond the context boundary",
    "saved": "matching @{name}",
    "not_saved": "not matching @{name}",
    "stars_equal": ("with {count} star", "with {count} stars"),
    "stars_unequal": ("with other than {count} star", "with other than {count} stars"),
    "stars_less": ("with fewer than {count} star", "with fewer than {count} stars"),
    "stars_at_most": ("with at most {count} star", "with at most {count} stars"),
    "stars_more": ("with more than {count} star", "with more than {count} stars"),
    "stars_at_least": "with {count} or more stars",
    "tokens_equal": ("costing {count} token", "costing {count} tokens"),
    "tokens_unequal": ("costing other than {count} token", "costing other than {count} tokens"),
    "tokens_less": ("costing fewer than {count} token", "costing fewer than {count} tokens"),
    "tokens_at_most": ("costing at most {count} token", "costing at most {count} tokens"),
    "tokens_more": ("costing more than {count} token", "costing more than {count} tokens"),
    "tokens_at_least": "costing {count} or more tokens",
    "age_equal": "exactly {amount} old",
    "age_unequal": "not exactly {amount} old",
    "age_less": "less than {amount} old",
    "age_at_most": "from the last {amount}",
    "age_more": "more than {amount} old",
    "age_at_least": "at least {amount} old",
    "day_equal": "from {day}",
    "day_unequal": "not from {day}",
    "day_less": "before {day}",
    "day_at_most": "up to {day}",
    "day_more": "after {day}",
    "day_at_least": "since {day}",
    "minute": ("{count} minute", "{count} minutes"),
    "hour": ("{count} hour", "{count} hours"),
    "day": ("{count} day", "{count} days"),
    "week": ("{count} week", "{count} weeks"),
    "month": ("{count} month", "{count} months"),
    "year": ("{count} year", "{count} years"),
    "date": "{day} {month} {year}",
    "month_1": "January",
    "month_2": "February",
    "month_3": "March",
    "month_4": "April",
    "month_5": "May",
    "month_6": "June",
    "month_7": "July",
    "month_8": "August",
    "month_9": "September",
    "month_10": "October",
    "month_11": "November",
    "month_12": "December",
    "unit_minute": "minutes",
    "unit_hour": "hours",
    "unit_day": "days",
    "unit_week": "weeks",
    "unit_month": "months",
    "unit_year": "years",
    "below": "{name} and below",
    "an_agent": "agent",
    "a_tool": "tool",
}

_SHEET: Mapping[str, str] = {
    "sheet_predicates": "Predicates",
    "sheet_operators": "Operators",
    "sheet_values": "Values",
    "sheet_topics": "Topics",
    "sheet_boundary": "Boundary",
    "sheet_examples": "Examples",
    "sheet_commands": "Commands",
    "sheet_by_example": "Predicates by example",
    "sheet_short": "short",
    "sheet_long": "long",
    "sheet_argument": "argument",
    "sheet_selects": "selects",
    "sheet_selects_pairs": "selects pairs that",
    "sheet_typed": "typed",
    "sheet_means": "means",
    "sheet_does": "does",
    "sheet_example": "example",
    "sheet_nothing": "nothing",
    "sheet_not": "not",
    "sheet_and_typed": "`&`, or nothing at all",
    "sheet_and": "and: `s2r3`, `s2 r3` and `s2 & r3` are the same",
    "sheet_or_typed": "`|` or `+`",
    "sheet_or": "or",
    "sheet_group": "what belongs together; otherwise `!` goes before `&`, and `&` before `|`",
    "sheet_saved": "the filter saved under that name",
    "sheet_command": "does something with what the filter before it selects",
    "sheet_text_typed": "`'text'` or `\"text\"`",
    "sheet_text": "text; `\\'` `\\\"` `\\\\` `\\n` `\\t` `\\r` are escapes, `\\` keeps any other sign as is",
    "sheet_star_typed": "`*` in quotes",
    "sheet_star": r"any run of characters; a star itself is `\*`. Case does not matter",
    "sheet_comparison": "comparisons; none means `=`, and `<=` for an age",
    "sheet_age": "an age, in `min` `h` `d` `w` `mo` (30 days) `y` (365 days); without a unit in days",
    "sheet_day_typed": "`2025-01-31` or `25-01-31`",
    "sheet_day": "a day in your time zone; `<` before it starts, `<=` up to its end",
    "sheet_topic_name": "every topic of that name, without what is below",
    "sheet_topic_path": r"by path from the root, or by as much of its end as is clear; `\>` is no step",
    "sheet_topic_below": "with all that is below",
    "sheet_topic_pattern": "names by pattern",
    "sheet_topic_chosen": "the topic now chosen in the composer, without what is below",
    "sheet_topic_last": "the last 10 pairs of the chosen topic and all below it; `t'10'` is a topic called 10",
    "sheet_kept": "what the context boundary keeps of what the filter selects with every `o` left out",
    "sheet_newest": "that, and the newest 5 that it leaves out; they are shown, and marked OUT, and not sent",
    "sheet_beyond": "what it leaves out",
    "sheet_any_dry_run": "any of them with `--dry-run`",
}
"""Of the sheet of the language: its titles, heads and explanations. What stands in backquotes is typed as it is."""

_FLAGS = (DRY_RUN, *(flag for row in COMMANDS.values() for flag in row.flags))


def name_of(row: CommandRow | FlagRow) -> str:
    """The key of what a command or a flag does."""
    kind = "command" if isinstance(row, CommandRow) else "flag"
    return f"{kind}_{row.name.replace('-', '_')}"


ENGLISH: Mapping[str, str | tuple[str, str]] = MappingProxyType({
    **_SENTENCE,
    **_SHEET,
    **{f"sheet_argument_{row.name}": row.argument for row in PREDICATES.values() if row.argument},
    **{f"selects_{row.name}": row.selects for row in PREDICATES.values()},
    **{name_of(row): row.does for row in (*COMMANDS.values(), *_FLAGS)},
})  # fmt: skip
"""Every text, as catalogues have it: a pair is the form for a count of 1 and that for any other."""


def say_english(key: str, /, **values: object) -> str:
    """Say it in English, as documentation, the API and the log do."""
    text = ENGLISH[key]
    if isinstance(text, tuple):
        text = text[0 if values.get("count") == 1 else 1]
    written = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return text.format(**written)
