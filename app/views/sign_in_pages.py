"""The pages for signing in: HTML with one form each, in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final
from urllib.parse import urlencode

from app.domain.people.people import MAX_EMAIL, MAX_NAME, MAX_PASSWORD, MIN_PASSWORD
from app.language.translation import translate

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
PASSKEY: Final = "/sign-in/passkey"
END: Final = "</main></body></html>\n"
_STYLE: Final = (
    ":root{color-scheme:light dark;--line:light-dark(#ccc9c2,#4a4843);--bad:light-dark(#a11,#f99)}"
    "body{margin:0;min-height:100vh;display:grid;place-items:center;font:15px/1.5 system-ui,sans-serif;"
    "background:light-dark(#fcfcfb,#191a1a);color:light-dark(#1d1e1c,#e6e6e2)}.name{margin:0;font-weight:700}"
    "main{width:min(22rem,calc(100vw - 2.5rem));padding:1.5rem 0}h1{margin:.3rem 0 0;font-size:1.25rem}"
    "label{display:block;margin:.9rem 0 .2rem}"
    "input{width:100%;box-sizing:border-box;font:inherit;padding:.5rem .6rem;border:1px solid var(--line);"
    "border-radius:6px;background:transparent;color:inherit}"
    "button{margin-top:1.2rem;width:100%;font:inherit;font-weight:600;padding:.55rem;border:0;border-radius:6px;"
    "background:light-dark(#0b6e65,#5cc3b5);color:light-dark(#fff,#0c1f1c);cursor:pointer}"
    "h2{margin:1.8rem 0 0;font-size:1.05rem}p{margin:.4rem 0 0}code{font:14px/1.6 ui-monospace,monospace}"
    "svg{display:block;margin:.8rem 0;max-width:100%;height:auto;border-radius:6px}ul{padding-left:1.2rem}"
    "a{color:light-dark(#0b6e65,#5cc3b5)}.back{margin-top:1.6rem}"
    ".quiet,.button{margin-top:.7rem;background:transparent;color:inherit;border:1px solid var(--line)}"
    ".button{display:block;text-align:center;text-decoration:none;font-weight:600;padding:.55rem;border-radius:6px}"
    ".or{margin-top:1rem;text-align:center}"
    "[role=alert]{color:var(--bad)}:focus-visible{outline:2px solid light-dark(#0b6e65,#5cc3b5);outline-offset:2px}"
)


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody typed and finds again when it was refused. Never the password."""

    name: str = ""
    email: str = ""


def policy_of(script: str) -> str:
    """The Content-Security-Policy of one of these pages. `script` is the address of the one that may run; "": none."""
    return f"{_POLICY}; script-src {script}" if script else _POLICY


def sign_in_page(
    email: str = "", fault: str = "", provider: str = "", *, passkeys: bool = False, ended: bool = False
) -> str:
    """The form of `/sign-in`. `fault` is the key of what went wrong, `provider` what people call it; "" is none.

    `passkeys`: they can be used here. `ended`: the browser comes from a page whose session is over.
    """
    said = f'<p role="status">{escape(translate("sign_in.ended"))}</p>' if ended else alert(fault, provider)
    return page(
        "sign_in.title",
        said,
        field("email", "sign_in.email", email, kind="email", autocomplete="username", most=MAX_EMAIL),
        field("password", "sign_in.password", kind="password", autocomplete="current-password", most=MAX_PASSWORD),
        button="sign_in.enter",
        action="/sign-in",
        after=_others(provider, passkeys=passkeys),
    )


def code_page(fault: str = "") -> str:
    """The form of `/sign-in/code`: a code of the app, or a recovery code."""
    return page(
        "sign_in.second_step",
        alert(fault),
        f"<p>{escape(translate('sign_in.second_step_why'))}</p>",
        field("code", "sign_in.code", autocomplete="one-time-code", most=40),
        button="sign_in.go_on",
    )


def sign_out_page() -> str:
    """The button of `/sign-out`."""
    return page("settings.account.sign_out", "", button="settings.account.sign_out")


def welcome_page(typed: Typed, fault: str = "", *, resets: bool, provider: str = "", key: str = "") -> str:
    """The form of a one-time link: for an account, or for a new password of one. `key` is the link's."""
    who = (
        field("name", "sign_in.name", typed.name, autocomplete="name", most=MAX_NAME),
        field("email", "sign_in.email", typed.email, kind="email", autocomplete="username", most=MAX_EMAIL),
    )
    password = field(
        "password",
        "sign_in.new_password",
        kind="password",
        autocomplete="new-password",
        least=MIN_PASSWORD,
        most=MAX_PASSWORD,
    )
    title, button = ("sign_in.reset", "sign_in.set_password") if resets else ("sign_in.welcome", "sign_in.create")
    after = "" if resets else provider_link(provider, key)
    return page(title, alert(fault), *(() if resets else who), password, button=button, after=after)


def unknown_link_page() -> str:
    """What a link shows that was used, has expired, or never was."""
    return head("sign_in.no_link") + f"<p>{escape(translate('sign_in.no_link_why'))}</p>{END}"


def page(title: str, said: str, *fields: str, button: str, action: str = "", after: str = "") -> str:
    """A page with one form. `said`, `fields` and `after` are HTML; without `action` it is posted to its own address."""
    where = f' action="{action}"' if action else ""
    return (
        f'{head(title)}{said}<form method="post"{where}>{"".join(fields)}'
        f"<button>{escape(translate(button))}</button></form>{after}{END}"
    )


def alert(fault: str, provider: str = "") -> str:
    """What went wrong, by its key; "" is nothing."""
    return f'<p role="alert">{escape(translate(fault, name=provider))}</p>' if fault else ""


def provider_link(provider: str, key: str = "") -> str:
    """The link to the provider's sign-in, for who came with an invitation with its key."""
    return f"{_or()}{_provider_button(provider, key)}" if provider else ""


def _others(provider: str, *, passkeys: bool) -> str:
    """The ways to sign in without a password."""
    by_passkey = f'<a class="button" href="{PASSKEY}">{escape(translate("sign_in.with_passkey"))}</a>'
    links = (by_passkey if passkeys else "") + (_provider_button(provider) if provider else "")
    return f"{_or()}{links}" if links else ""


def _provider_button(provider: str, key: str = "") -> str:
    where = f"/sign-in/provider?{urlencode({'key': key})}" if key else "/sign-in/provider"
    label = escape(translate("sign_in.with_provider", name=provider))
    return f'<a class="button" href="{escape(where)}">{label}</a>'


def _or() -> str:
    return f'<p class="or">{escape(translate("sign_in.or"))}</p>'


def button_form(do: str, label: str, value: str = "", name: str = "") -> str:
    """A button of `/security` that posts what to do with the thing `value`, whose name a screen reader is told."""
    which = f'<input type="hidden" name="which" value="{escape(value)}">' if value else ""
    shown = escape(translate(label))
    told = f' aria-label="{shown}: {escape(name)}"' if name else ""
    return (
        f'<form method="post" action="/security">{wanted(do)}{which}<button class="quiet"{told}>{shown}</button></form>'
    )


def wanted(do: str) -> str:
    """The field of a form of `/security` that names what to do."""
    return f'<input type="hidden" name="do" value="{do}">'


def back(path: str, label: str) -> str:
    """A link to where somebody came from."""
    return f'<p class="back"><a href="{path}">{escape(translate(label))}</a></p>'


def head(title: str) -> str:
    """A page up to its heading, whose key this is."""
    shown = escape(translate(title))
    return (
        f'<!doctype html>\n<html lang="{escape(translate("language.tag"))}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        f"<title>{shown} · Inview</title><style>{_STYLE}</style></head>\n"
        f'<body><main><p class="name">Inview</p><h1>{shown}</h1>'
    )


def field(  # noqa: PLR0913 - the attributes of an input
    name: str, label: str, value: str = "", *, kind: str = "text", autocomplete: str, least: int = 1, most: int
) -> str:
    """An input with its label."""
    return (
        f'<label for="{name}">{escape(translate(label))}</label><input id="{name}" name="{name}" type="{kind}" '
        f'value="{escape(value)}" autocomplete="{autocomplete}" minlength="{least}" maxlength="{most}" required>'
    )
