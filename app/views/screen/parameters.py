"""The parameters of the next send, as the page shows them."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parameters import Setting, Source, Value, describe_value, list_set
from app.domain.conversation.retry_policy import RetryPolicy
from app.language.translation import translate


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
    return (
        SettingView("retry_policy", translate(f"screen.parameters.retries.{policy.value}"), Source.CONVERSATION, ""),
    )


def show_parameter(name: str, value: Value) -> str:
    """A parameter in a few words.

    >>> show_parameter("max_output_tokens", 500), show_parameter("thinking", False), show_parameter("temperature", 0.2)
    ('at most 500 output tokens', 'thinking off', 'temperature 0.2')
    """
    if isinstance(value, bool):
        return translate(f"screen.parameters.set.{name}_{'on' if value else 'off'}")
    if isinstance(value, Effort):
        return translate(f"screen.parameters.set.{name}", value=translate(f"screen.parameters.effort.{value}"))
    if name == "max_output_tokens":
        return translate("screen.parameters.set.max_output_tokens", count=value)
    return translate(f"screen.parameters.set.{name}", value=str(value) if name == "seed" else describe_value(value))


def list_parameters(parameters: Parameters) -> str:
    """Those that are set, on one line; "" for none."""
    return ", ".join(show_parameter(name, value) for name, value in list_set(parameters))


def show_setting(setting: Setting, refusal: str) -> SettingView:
    """A parameter that is set. What is asked of this send alone is refused, all else is left out."""
    consequence = (
        translate("screen.parameters.unsupported_hint")
        if setting.source is Source.SEND
        else translate("screen.parameters.it_is_left_out")
    )
    return SettingView(
        setting.name,
        show_parameter(setting.name, setting.value),
        setting.source,
        f"{refusal}{consequence}" if refusal else "",
    )
