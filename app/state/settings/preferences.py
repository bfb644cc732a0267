"""The user's preferences: the only var that holds them, and a function with which any state changes them.

Components of other regions read fields of `PreferencesState.preferred`, such as `preferred.over_budget`. A page that
shows preferences lists `PreferencesState.load` or `OpeningState.open` in its `on_load`; until that has run, `preferred`
has the defaults.

A handler of any state changes preferences as follows. The change is stored, and shown at once everywhere in that
tab:

    await prefer(self, lambda known: replace(known, topic_order=TopicOrder.MANUAL))

The meaning of each preference is in `domain/settings/preferences.py`. The sections of Settings edit the preferences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import reflex as rx

from app.domain.settings.preferences import Preferences
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import change_preferences, read_preferences
from app.state.tab.changes import set_changed
from app.views.shortcuts.shortcuts import ACTIONS_BY_ID, describe_hints, key_name, key_of


@dataclass(frozen=True)
class OwnKey:
    """The key that the user has chosen for an action, "" for no key. It differs from the action's default key."""

    action: str
    key: str


@dataclass(frozen=True)
class PreferencesForm:
    """All preferences as the page shows them. Money is decimal text. "" and None mean "not set".

    `over_budget`, `topic_order`, `cache` and `theme` hold the values of the enums of `Preferences`. `key_hints` names
    some keys for the bar above the message box. `edit_key` and `delete_key` are the names of the keys that edit and
    delete the pair at the cursor.
    """

    soft_cap: float
    reserve: int
    send_tokens: int | None
    send_money: str
    conversation_tokens: int | None
    conversation_money: str
    day_tokens: int | None
    day_money: str
    conversation_minute_sends: int | None
    minute_sends: int | None
    address_minute_sends: int | None
    conversation_day_tokens: int | None
    address_day_tokens: int | None
    over_budget: str
    auto_enter_view_on_overflow: bool
    topic_order: str
    cache: str
    titles: bool
    title_model: str
    replay: bool
    trash_days: int | None
    built_in_tools: tuple[str, ...]
    about_me: str
    tell_about_me: bool
    user_name: str
    tell_project: bool
    tell_first_request: bool
    date_zone: str
    tell_time: bool
    redact: bool
    theme: str
    own_keys: tuple[OwnKey, ...]
    key_hints: str
    edit_key: str
    delete_key: str


def describe_preferences(preferences: Preferences) -> PreferencesForm:
    """Return the preferences as the page shows them."""
    return PreferencesForm(
        soft_cap=float(preferences.soft_cap),
        reserve=preferences.reserve,
        send_tokens=preferences.send_tokens,
        send_money=_text(preferences.send_money),
        conversation_tokens=preferences.conversation_tokens,
        conversation_money=_text(preferences.conversation_money),
        day_tokens=preferences.day_tokens,
        day_money=_text(preferences.day_money),
        conversation_minute_sends=preferences.conversation_minute_sends,
        minute_sends=preferences.minute_sends,
        address_minute_sends=preferences.address_minute_sends,
        conversation_day_tokens=preferences.conversation_day_tokens,
        address_day_tokens=preferences.address_day_tokens,
        over_budget=preferences.over_budget.value,
        auto_enter_view_on_overflow=preferences.auto_enter_view_on_overflow,
        topic_order=preferences.topic_order.value,
        cache=preferences.cache.value,
        titles=preferences.titles,
        title_model=preferences.title_model or "",
        replay=preferences.replay,
        trash_days=preferences.trash_days,
        built_in_tools=preferences.built_in_tools,
        about_me=preferences.about_me,
        tell_about_me=preferences.tell_about_me,
        user_name=preferences.user_name,
        tell_project=preferences.tell_project,
        tell_first_request=preferences.tell_first_request,
        date_zone=preferences.date_zone or "",
        tell_time=preferences.tell_time,
        redact=preferences.redact,
        theme=preferences.theme.value,
        own_keys=tuple(OwnKey(action, key) for action, key in preferences.keys.items()),
        key_hints=describe_hints(preferences.keys),
        edit_key=key_name(key_of(ACTIONS_BY_ID["edit"], preferences.keys)),
        delete_key=key_name(key_of(ACTIONS_BY_ID["delete"], preferences.keys)),
    )


class PreferencesState(rx.State):
    """The user's preferences.

    `loaded` is False until the stored preferences are read; until then, `preferred` has the defaults.
    """

    preferred: rx.Field[PreferencesForm] = rx.field(default_factory=lambda: describe_preferences(Preferences()))
    loaded: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def load(self) -> None:
        """Read and show the stored preferences."""
        show_preferences(self, await read_preferences(current(), LOCAL_OWNER))


def show_preferences(state: PreferencesState, preferences: Preferences) -> None:
    """Show the stored preferences."""
    set_changed(state, preferred=describe_preferences(preferences), loaded=True)


async def prefer(state: rx.State, change: Callable[[Preferences], Preferences]) -> Preferences:
    """Store the preferences as changed by `change`, show them, and return them.

    `state` is the state whose handler is running.

    Raises:
        InputError: a value cannot be used. Nothing is changed.
    """
    changed = await change_preferences(current(), LOCAL_OWNER, change)
    preferences = await state.get_state(PreferencesState)
    show_preferences(preferences, changed)
    return changed


def _text(amount: Decimal | None) -> str:
    return "" if amount is None else f"{amount:f}"
