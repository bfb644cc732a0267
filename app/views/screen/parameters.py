"""The parameters of the next send, as the page shows them."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.parameters import Setting, Source, describe_parameter
from app.domain.conversation.retry_policy import RetryPolicy, describe_policy


@dataclass(frozen=True, slots=True)
class SettingView:
    """A parameter ("temperature 0.2"), and the level that set it. `refusal`: why the model refuses it, or ""."""

    name: str
    text: str
    source: Source
    refusal: str


def show_policy(policy: RetryPolicy) -> tuple[SettingView, ...]:
    """Return the retry policy as a setting if it is not the default."""
    if policy is RetryPolicy.EXPONENTIAL:
        return ()
    return (SettingView("retry_policy", describe_policy(policy), Source.CONVERSATION, ""),)


def show_setting(setting: Setting, refusal: str) -> SettingView:
    """Return the view of a parameter. An unsupported one is refused if it was set for this send, else left out."""
    consequence = ". Remove it, or choose another model." if setting.source is Source.SEND else ": it is left out."
    return SettingView(
        setting.name,
        describe_parameter(setting.name, setting.value),
        setting.source,
        f"{refusal}{consequence}" if refusal else "",
    )
