"""The pages of passkeys: HTML with one form each, whose answer of the browser a script of our own writes into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from importlib.resources import files
from typing import Any, Final

import orjson

from app.domain.people.passkeys import Passkey, RelyingParty
from app.domain.people.people import MAX_NAME
from app.language.translation import translate
from app.views.sign_in_pages import END, back, button_form, field, head, wanted

SCRIPT: Final = "/sign-in/passkeys.js"
"""The address of the script of these pages."""
SCRIPT_TEXT: Final = files("app.views").joinpath("passkeys.js").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class PasskeyQuestion:
    """What a browser is asked at `place`: `options` of the Web Authentication API as JSON."""

    place: RelyingParty
    options: Mapping[str, Any]


def script_at(place: RelyingParty) -> str:
    """The one script that may run on these pages. At another address it does not, and passkeys are not asked for."""
    return place.origin + SCRIPT


def use_page(question: PasskeyQuestion) -> str:
    """The page that asks for a passkey of whoever sits at the browser."""
    why = f"<p>{_text('sign_in.passkey_why')}</p>"
    form = _form(question, "/sign-in/passkey", "", "sign_in.use_passkey")
    faults = _alert("none", "sign_in.passkey_none")
    return f"{head('sign_in.with_passkey')}{why}{faults}{form}{back('/sign-in', 'sign_in.back')}{END}"


def make_page(question: PasskeyQuestion, name: str, fault: str = "") -> str:
    """The page that has a browser make a passkey. `name`: what it is called unless its person says otherwise."""
    why = f"<p>{_text('security.passkey_make_why')}</p>"
    typed = field("name", "security.passkey_name", name, autocomplete="off", most=MAX_NAME)
    form = _form(question, "/security", wanted("finish_passkey") + typed, "security.passkey_make", makes=True)
    said = f'<p role="alert" id="wrong">{_text(fault)}</p>' if fault else ""
    faults = said + _alert("none", "security.passkey_none") + _alert("known", "security.passkey_known")
    return f"{head('security.passkey_add')}{why}{faults}{form}{back('/security', 'security.back')}{END}"


def passkeys_section(place: RelyingParty | None, passkeys: tuple[Passkey, ...]) -> str:
    """The passkeys of a person, each with what can be done about it."""
    if place is None:
        why, add = _text("security.passkeys_nowhere"), ""
    else:
        why = escape(translate("security.passkeys_why", origin=place.origin))
        add = button_form("begin_passkey", "security.passkey_add")
    return f"<h2>{_text('security.passkeys')}</h2><p>{why}</p>{''.join(map(_passkey, passkeys))}{add}"


def _passkey(passkey: Passkey) -> str:
    made = _day(passkey.created_at)
    used = (
        translate("security.passkey_unused", made=made)
        if passkey.used_at is None
        else translate("security.passkey_used", made=made, used=_day(passkey.used_at))
    )
    place = f"name-{escape(passkey.id)}"
    rename = (
        f'<form method="post" action="/security">{wanted("rename_passkey")}'
        f'<input type="hidden" name="which" value="{escape(passkey.id)}">'
        f'<label for="{place}">{_text("security.passkey_name")}</label>'
        f'<input id="{place}" name="name" value="{escape(passkey.name)}" autocomplete="off" maxlength="{MAX_NAME}" '
        f'required><p>{escape(used)}</p><button class="quiet" aria-label="{_text("security.passkey_rename")}: '
        f'{escape(passkey.name)}">{_text("security.passkey_rename")}</button></form>'
    )
    return rename + button_form("remove_passkey", "security.passkey_remove", passkey.id, passkey.name)


def _form(question: PasskeyQuestion, action: str, fields: str, button: str, *, makes: bool = False) -> str:
    options = escape(orjson.dumps(question.options).decode())
    needs = escape(translate("sign_in.passkey_needs", origin=question.place.origin))
    return (
        f'<p id="needs">{needs}</p>'
        f'<form method="post" action="{action}" data-passkey="{options}"{" data-makes" if makes else ""}>{fields}'
        f'<input type="hidden" name="answer"><button disabled>{_text(button)}</button></form>'
        f'<script src="{SCRIPT}" defer></script>'
    )


def _alert(fault_id: str, key: str) -> str:
    return f'<p role="alert" id="{fault_id}" hidden>{_text(key)}</p>'


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _text(key: str) -> str:
    return escape(translate(key))
