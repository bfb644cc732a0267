"""The pages of `/security`: how a person signs in, in plain HTML with native forms, in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from app.domain.people.passkeys import Passkey, RelyingParty
from app.domain.people.people import MAX_PASSWORD, LinkedIdentity
from app.language.translation import translate
from app.views.passkey_pages import passkeys_section
from app.views.sign_in_pages import END, alert, back, button_form, field, head, page, wanted

MAX_CODE = 40


@dataclass(frozen=True, slots=True)
class Ways:
    """How a person signs in. `recovery_codes`: those left; None: no second step. `provider` "": none is set up.

    `place`: where passkeys can be used; None: nowhere.
    """

    recovery_codes: int | None
    provider: str = ""
    linked: tuple[LinkedIdentity, ...] = ()
    place: RelyingParty | None = None
    passkeys: tuple[Passkey, ...] = ()


def proof_page(fault: str = "") -> str:
    """The form that asks for the password before anything is shown."""
    return page(
        "security.title",
        alert(fault),
        f"<p>{_text('security.prove')}</p>",
        wanted("prove"),
        field("password", "sign_in.password", kind="password", autocomplete="current-password", most=MAX_PASSWORD),
        button="sign_in.go_on",
        after=_back(),
    )


def sign_in_again_page() -> str:
    """What somebody without a password sees whose sign-in is too long ago."""
    link = f'<p><a href="/sign-out">{_text("settings.account.sign_out")}</a></p>'
    return f"{head('security.title')}<p>{_text('security.sign_in_again')}</p>{link}{_back()}{END}"


def security_page(ways: Ways, fault: str = "") -> str:
    """The ways to sign in, each with what can be done about it."""
    sections = passkeys_section(ways.place, ways.passkeys) + _second_step(ways.recovery_codes) + _provider(ways)
    return f"{head('security.title')}{alert(fault, ways.provider)}{sections}{_back()}{END}"


def fault_page(fault: str, provider: str) -> str:
    """What somebody who is signed in sees when linking an account failed."""
    return f"{head('security.title')}{alert(fault, provider)}{_back('/security')}{END}"


def leave_page(provider: str, address: str) -> str:
    """The link to the provider. No form may lead there: their answers stay on this site."""
    why = f"<p>{escape(translate('security.go_to', name=provider))}</p>"
    label = escape(translate("sign_in.with_provider", name=provider))
    link = f'<a class="button" href="{escape(address)}">{label}</a>'
    return f"{head('security.link')}{why}{link}{_back('/security')}{END}"


def _provider(ways: Ways) -> str:
    if not ways.provider:
        return ""
    why = f"<h2>{escape(ways.provider)}</h2><p>{escape(translate('security.provider_why', name=ways.provider))}</p>"
    rows = [(one.email or translate("security.no_address"), f"{one.issuer} {one.subject}") for one in ways.linked]
    listed = "".join(
        f"<p>{escape(name)}</p>{button_form('unlink', 'security.unlink', one, name)}" for name, one in rows
    )
    return why + listed + button_form("link", "security.link")


def enrolment_page(secret: str, uri: str, fault: str = "") -> str:
    """The secret for an authenticator app, as a picture and as text, and the field for the first code."""
    import segno  # noqa: PLC0415 - a megabyte that who turns no second step on saves

    picture = segno.make(uri, error="m").svg_inline(scale=4, border=4, light="white", dark="black", svgclass=None)
    shown = picture.replace("<svg", f'<svg role="img" aria-label="{_text("security.qr_code")}"', 1)
    return page(
        "security.second_step",
        alert(fault),
        f"<p>{_text('security.scan')}</p>{shown}<p>{_text('security.or_type')} <code>{escape(secret)}</code></p>",
        wanted("finish_code"),
        field("code", "sign_in.code", autocomplete="one-time-code", most=MAX_CODE),
        button="security.turn_on",
        after=_back("/security"),
    )


def codes_page(codes: tuple[str, ...]) -> str:
    """The recovery codes, which are shown this once."""
    listed = "".join(f"<li><code>{escape(code)}</code></li>" for code in codes)
    why = f"<p>{_text('security.recovery_why')}</p>"
    return f"{head('security.recovery')}{why}<ul>{listed}</ul>{_back('/security')}{END}"


def _second_step(recovery_codes: int | None) -> str:
    why = f"<h2>{_text('security.second_step')}</h2><p>{_text('security.second_step_why')}</p>"
    if recovery_codes is None:
        return why + button_form("begin_code", "security.turn_on")
    left = f"<p>{_text('security.is_on')} {escape(translate('security.codes_left', count=str(recovery_codes)))}</p>"
    return why + left + button_form("renew_codes", "security.renew") + button_form("stop_code", "security.turn_off")


def _back(path: str = "/settings#account") -> str:
    return back(path, "security.back" if path == "/security" else "security.leave")


def _text(key: str) -> str:
    return escape(translate(key))
