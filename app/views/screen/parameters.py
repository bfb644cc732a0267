"""How the model of the next send is asked, as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.parameters import Setting, Source, describe_parameter
from app.domain.conversation.retry_policy import RetryPolicy, describe_policy


@dataclass(frozen=True, slots=True)
class SettingView:
    """A parameter that is set ("temperature 0.2"), and who set it. `refusal`: why the model does not take it, or ""."""

    name: str
    text: str
    source: Source
    refusal: str


def show_policy(policy: RetryPolicy) -> tuple[SettingView, ...]:
    """When failed calls are made again, where it is not as usual."""
    if policy is RetryPolicy.EXPONENTIAL:
        return ()
    return (SettingView("retry_policy", describe_policy(policy), Source.CONVERSATION, ""),)


def show_setting(setting: Setting, refusal: str) -> SettingView:
    """A parameter that is set. What is asked of this send alone is refused, all else is left out."""
    consequence = ". Remove it, or choose another model." if setting.source is Source.SEND else ": it is left out."
    return SettingView(
        setting.name,
        describe_parameter(setting.name, setting.value),
        setting.source,
        f"{refusal}{consequence}" if refusal else "",
    )
