"""Routes of preferences: one object that is read and replaced as a whole."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body, ModelName, ToolName
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.patterns import MONEY
from app.domain.cache.rules import CacheLifetime
from app.domain.privacy.redaction import redact_text
from app.domain.privacy.user_context import MAX_ABOUT, MAX_FIRST_REQUEST, MAX_USER_NAME
from app.domain.settings.preferences import (
    MAX_BUILT_IN,
    MAX_KEYS,
    MAX_TOKENS,
    MAX_TRASH_DAYS,
    OverBudget,
    Preferences,
    Theme,
    TopicOrder,
)
from app.domain.settings.rate_limits import MAX_SENDS
from app.runs.settings import preference_commands
from app.views.settings.preferences import PreferencesView, PreludeView, RedactionView, describe_preferences

router = APIRouter(prefix="/preferences", tags=["preferences"], dependencies=[ReadsJson])

_USUAL = Preferences()
MAX_REDACTED = 1_000_000

Tokens = Annotated[
    int | None, Field(ge=1, le=MAX_TOKENS, description="The maximum number of tokens of a send; null: no limit.")
]
Money = Annotated[
    str | None,
    Field(
        pattern=MONEY,
        description="The maximum cost of a send in US dollars, as decimal text above 0; null: no limit.",
        examples=["2.50"],
    ),
]


Sends = Annotated[
    int | None,
    Field(ge=1, le=MAX_SENDS, description="The maximum number of sends per minute; null: no limit. More get 429."),
]
DayTokens = Annotated[
    int | None,
    Field(ge=1, le=MAX_TOKENS, description="The tokens per day (UTC) after which sends get 429; null: no limit."),
]


class RedactionBody(Body):
    """A text to search for secrets."""

    text: Annotated[str, Field(max_length=MAX_REDACTED)]


class PreferencesBody(Body):
    """The preferences. A missing preference gets its default value."""

    soft_cap: float = Field(
        float(_USUAL.soft_cap), ge=0.05, le=1, description="The share of a model's window that a send may fill."
    )
    reserve: int = Field(
        _USUAL.reserve, ge=0, le=MAX_TOKENS, description="The number of tokens reserved for the reply."
    )
    send_tokens: Tokens = None
    send_money: Money = None
    conversation_tokens: Tokens = None
    conversation_money: Money = None
    day_tokens: Tokens = None
    day_money: Money = None
    conversation_minute_sends: Sends = None
    minute_sends: Sends = None
    address_minute_sends: Sends = None
    conversation_day_tokens: DayTokens = None
    address_day_tokens: DayTokens = None
    over_budget: Literal["ask", "fit", "force"] = Field(
        "ask", description="The action if pairs do not fit: ask, send those that fit, or send all anyway."
    )
    auto_enter_view_on_overflow: bool = Field(
        default=True, description="Whether a reply longer than the screen moves the focus to the history."
    )
    topic_order: Literal["recent", "manual"] = "recent"
    cache: Literal["auto", "5m", "1h", "off"] = Field(
        "auto",
        description=(
            "The lifetime requested for the provider's prompt cache: chosen by cost, always the same, or no cache."
        ),
    )
    titles: bool = Field(
        default=True, description="Whether a conversation without a title gets one after its first successful reply."
    )
    title_model: ModelName | None = Field(None, description="Model for titles; null: the conversation's model.")
    replay: bool = Field(
        default=False, description="Whether a repeated identical request gets the stored reply of the earlier one."
    )
    trash_days: int | None = Field(
        _USUAL.trash_days,
        ge=1,
        le=MAX_TRASH_DAYS,
        description="The number of days that deleted items stay in the trash; null: until the trash is emptied.",
    )
    built_in_tools: list[ToolName] = Field(
        default_factory=list[str],
        max_length=MAX_BUILT_IN,
        description="The names of the built-in tools that are sent to models. Empty: only tools of servers are sent.",
    )
    about_me: str = Field("", max_length=MAX_ABOUT, description="The text about the user that is sent to models.")
    tell_about_me: bool = Field(default=True, description="Whether `about_me` is sent to models.")
    user_name: str = Field(
        "", max_length=MAX_USER_NAME, description="A name or an id of the user that is sent to models; empty: none."
    )
    tell_project: bool = Field(
        default=False, description="Whether the name of the folder of a conversation is sent to models as its project."
    )
    tell_first_request: bool = Field(
        default=False,
        description="Whether each request also has the first request of its conversation, at most "
        f"{MAX_FIRST_REQUEST:,} characters of it.",
    )
    date_zone: str | None = Field(
        None, max_length=60, description="The IANA time zone of the date that is sent to models; null: no date is sent."
    )
    tell_time: bool = Field(
        default=False,
        description="Whether the time of day is sent with the date. Providers then have no prefix of the request in "
        "their caches. A send with the `as_of` of its preview has the same time.",
    )
    redact: bool = Field(
        default=False,
        description="Whether secrets of known formats are replaced by placeholders in everything that is sent.",
    )
    theme: Literal["system", "light", "dark"] = Field(
        "system", description="The theme of the page: that of the device, always light, or always dark."
    )
    keys: dict[str, str] = Field(
        default_factory=dict[str, str],
        max_length=MAX_KEYS,
        description="Custom keyboard shortcuts, by action. Empty: no shortcut.",
    )

    def to_domain(self) -> Preferences:
        return Preferences(
            soft_cap=Decimal(str(self.soft_cap)),
            reserve=self.reserve,
            send_tokens=self.send_tokens,
            send_money=_money(self.send_money),
            conversation_tokens=self.conversation_tokens,
            conversation_money=_money(self.conversation_money),
            day_tokens=self.day_tokens,
            day_money=_money(self.day_money),
            conversation_minute_sends=self.conversation_minute_sends,
            minute_sends=self.minute_sends,
            address_minute_sends=self.address_minute_sends,
            conversation_day_tokens=self.conversation_day_tokens,
            address_day_tokens=self.address_day_tokens,
            over_budget=OverBudget(self.over_budget),
            auto_enter_view_on_overflow=self.auto_enter_view_on_overflow,
            topic_order=TopicOrder(self.topic_order),
            cache=CacheLifetime(self.cache),
            titles=self.titles,
            title_model=self.title_model,
            replay=self.replay,
            trash_days=self.trash_days,
            built_in_tools=tuple(sorted(set(self.built_in_tools))),
            about_me=self.about_me,
            tell_about_me=self.tell_about_me,
            user_name=self.user_name,
            tell_project=self.tell_project,
            tell_first_request=self.tell_first_request,
            date_zone=self.date_zone,
            tell_time=self.tell_time,
            redact=self.redact,
            theme=Theme(self.theme),
            keys=self.keys,
        )


@router.get("", summary="Read the preferences", responses=says(PreferencesView))
async def read(ctx: Ctx, owner: Owner) -> Response:
    return answer(describe_preferences(await preference_commands.read_preferences(ctx, owner)))


@router.get(
    "/prelude",
    summary="Read what is sent about the user",
    description="The text that would be sent now before all pairs; null: none.",
    responses=says(PreludeView),
)
async def read_prelude(ctx: Ctx, owner: Owner) -> Response:
    return answer(PreludeView(await preference_commands.read_prelude(ctx, owner)))


@router.post(
    "/redaction",
    summary="Preview the redaction of a text",
    description=(
        "Returns the text with placeholders instead of secrets of known formats, whether or not `redact` is on."
    ),
    dependencies=[HasBody],
    responses=says(RedactionView, *WITH_BODY),
)
async def redact(_ctx: Ctx, _owner: Owner, body: RedactionBody) -> Response:
    redacted = await asyncio.to_thread(redact_text, body.text)
    return answer(RedactionView(redacted.text, redacted.kinds))


@router.put(
    "",
    summary="Replace the preferences",
    dependencies=[HasBody],
    responses=says(PreferencesView, *WITH_BODY, description="The updated preferences."),
)
async def replace(ctx: Ctx, owner: Owner, body: PreferencesBody) -> Response:
    changed = body.to_domain()
    await preference_commands.set_preferences(ctx, owner, changed)
    return answer(describe_preferences(changed))


def _money(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
