"""`inview`: serve, build, migrate, backup, restore, verify, export, import, doctor, user. Each is a few calls.

$ inview serve
$ INVIEW_PORT=8080 inview serve
"""

# Commands import what is heavy themselves: `inview doctor` need not wait a second for a server it does not start.
# ruff: noqa: PLC0415 - as said above

from __future__ import annotations

import gc
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.cli import build, preflight
from app.domain.errors import InputError, InviewError, SettingsError
from app.domain.filters.language.commands import ExportFormat
from app.domain.people.people import Role
from app.runs.caller import act_as_command_line
from app.settings import Settings, load_settings

cli = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

user = typer.Typer(no_args_is_help=True, help="People who can sign in.")
cli.add_typer(user, name="user")
token = typer.Typer(no_args_is_help=True, help="API tokens of programs: add, list, revoke.")
cli.add_typer(token, name="token")


def main() -> None:
    """Run the command; a fault a person can mend is one sentence and exit code 1, never a traceback."""
    act_as_command_line()
    os.umask(0o077)  # whatever is written from here on is for its owner alone
    try:
        cli()
    except InviewError as fault:
        typer.echo(f"inview: {fault}", err=True)
        sys.exit(1)


@cli.command()
def serve() -> None:
    """Serve page, API and sockets on one port; builds and migrates first where needed."""
    gc.disable()  # while importing there is nothing to collect; the server enables it again
    settings = load_settings()
    listener = preflight.bind_port(settings)
    _take_data_dir(settings)
    from app.cli import logs, migrating, server

    migrating.require_alone(settings.database_url, shared=settings.redis_url is not None)
    migrating.migrate_apart(settings.database_url)
    page = build.ensure_built(typer.echo)
    logs.configure_logs(settings.log_level, settings.log_format)
    server.run(settings, page, listener, typer.echo)


@cli.command("build")
def build_page() -> None:
    """Build the page now, if what it is made of changed."""
    typer.echo(f"The page is in {build.ensure_built(typer.echo)}.")


@cli.command()
def migrate() -> None:
    """Bring the database up to this code; `serve` does this by itself."""
    from app.store.database.migrations import upgrade

    settings = load_settings()
    _take_data_dir(settings)
    upgrade(settings.database_url)
    typer.echo(f"The database is up to date: {settings.describe()['INVIEW_DATABASE_URL']}")


_PassphraseFile = Annotated[Path | None, typer.Option(help="Its first line is the passphrase.")]


@cli.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write. An existing one is left as it is.")],
    *,
    encrypt: Annotated[bool, typer.Option("--encrypt", help="By a passphrase; then stored secrets go along.")] = False,
    passphrase_file: _PassphraseFile = None,
) -> None:
    """Write all of the installation into one file, also while a server runs.

    The passphrase comes from --passphrase-file, INVIEW_BACKUP_PASSPHRASE or a prompt.
    """
    import asyncio

    from app.cli.backup import describe_made, enter_backup, make_backup, require_makeable
    from app.cli.passphrase import read_passphrase

    settings = load_settings()
    passphrase = read_passphrase(settings, passphrase_file, is_new=True) if encrypt else None
    require_makeable(settings, file.expanduser().absolute())
    asyncio.run(enter_backup(settings, encrypted=encrypt))
    manifest = make_backup(settings, file, passphrase, _say_aside)
    for line in describe_made(manifest, file, encrypted=encrypt):
        typer.echo(line)


@cli.command("copy-database")
def copy_database(
    source: Annotated[str, typer.Argument(metavar="FROM", help="URL of the database, as INVIEW_DATABASE_URL has it.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="URL of an empty one, of SQLite or PostgreSQL.")],
) -> None:
    """Copy a database into an empty one, from SQLite to PostgreSQL or back, and compare both."""
    import asyncio

    from app.cli.moving import copy

    for line in asyncio.run(copy(source, target, _say_aside)):
        typer.echo(line)


@cli.command()
def restore(
    file: Annotated[Path, typer.Argument(help="What `inview backup` wrote.")],
    into: Annotated[Path | None, typer.Option(help="An empty folder. Default: the data folder.")] = None,
    passphrase_file: _PassphraseFile = None,
) -> None:
    """Put a backup into an empty data folder; nothing is ever overwritten."""
    from app.cli.backup import choose_folder, describe_restored, require_empty, restore_backup
    from app.cli.passphrase import read_passphrase
    from app.store.backup.archive import is_encrypted

    settings = load_settings()
    folder = choose_folder(settings, into)
    require_empty(folder)
    passphrase = read_passphrase(settings, passphrase_file, is_new=False) if is_encrypted(file) else ""
    for line in describe_restored(restore_backup(file, folder, passphrase, _say_aside), folder):
        typer.echo(line)


@cli.command()
def verify(conversation: Annotated[str | None, typer.Argument(help="Its id. Without it, all of them.")] = None) -> None:
    """Check everything that is stored, requests by their hashes included, without asking anybody.

    Exit code 1 names the first thing that is broken. The digest is the same for installations that hold the same.
    """
    import asyncio

    from app.cli.verifying import verify_installation

    findings = asyncio.run(verify_installation(load_settings(), conversation, typer.echo))
    if findings.first is not None:
        typer.echo(f"inview: The first broken thing: {findings.first}", err=True)
        sys.exit(1)


_Owner = Annotated[str | None, typer.Option(help="The e-mail address of a person. Default: the (first) owner.")]


@cli.command("export")
def export_conversations(
    conversations: Annotated[list[str] | None, typer.Argument(help="Their ids. Without them, all chats.")] = None,
    *,
    out: Annotated[Path, typer.Option(help="A folder, or for one conversation a file.")],
    format_: Annotated[ExportFormat, typer.Option("--format", help="json can be imported again.")] = ExportFormat.JSON,
    owner: _Owner = None,
) -> None:
    """Write conversations as files, as the Export menu of the page does; no file is overwritten."""
    import asyncio

    from app.cli.transfer import ExportWish, export_to

    settings = _migrated()
    wish = ExportWish(out, tuple(conversations or ()), owner, format_)
    count = asyncio.run(export_to(settings, wish, typer.echo))
    typer.echo(f"{count:,} conversation{'' if count == 1 else 's'} exported.")


@cli.command("import")
def import_conversations(
    files: Annotated[list[Path], typer.Argument(help="Exports of Inview, ChatGPT, Claude, Open WebUI or MaiChat.")],
    *,
    owner: _Owner = None,
) -> None:
    """Import files, as the page Import does: what is here already is not brought again.

    Exit code 1 if something of them could not be imported.
    """
    import asyncio

    from app.cli.transfer import import_files

    if not asyncio.run(import_files(_migrated(), owner, files, typer.echo)):
        sys.exit(1)


@cli.command()
def doctor(
    *,
    online: Annotated[bool, typer.Option("--online", help="Also ask the providers; nothing is paid for.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show every setting (secrets masked) and check the installation: ok, warning or fault, and what to do.

    Exit code 1 if there is a fault.
    """
    import asyncio
    import json

    from app.cli.checks import Check, fault, is_well

    async def check_all(settings: Settings) -> list[Check]:
        from app.cli.doctor import check_installation
        from app.cli.doctor_online import check_online

        checks = await check_installation(settings)
        return [*checks, *await check_online(settings)] if online and is_well(checks) else checks

    try:
        settings = load_settings()
        shown, checks = settings.describe(), asyncio.run(check_all(settings))
    except SettingsError as error:
        shown, checks = {}, [fault("settings", str(error))]
    if as_json:
        typer.echo(json.dumps({"ok": is_well(checks), "settings": shown, "checks": [asdict(one) for one in checks]}))
    else:
        for name, value in shown.items():
            typer.echo(f"{name:<24} {value or '-'}")
        if shown:
            typer.echo("")
        for check in checks:
            typer.echo(check.describe())
    if not is_well(checks):
        sys.exit(1)


@user.command()
def invite(role: Annotated[Role, typer.Argument(help="What the person may do.")] = Role.MEMBER) -> None:
    """Print a one-time link that makes an account."""
    import asyncio

    from app.cli.people import make_invitation

    settings = _migrated()
    typer.echo(f"{settings.address}{asyncio.run(make_invitation(settings, role))}")


@user.command()
def reset(email: str) -> None:
    """Print a one-time link that sets a new password; it ends all sessions of the person when it is used."""
    import asyncio

    from app.cli.people import make_reset

    settings = _migrated()
    typer.echo(f"{settings.address}{asyncio.run(make_reset(settings, email))}")


@user.command("sign-out")
def sign_out(email: str) -> None:
    """End all sessions of a person; a running server notices within a second."""
    import asyncio

    from app.cli.people import sign_out_everywhere

    asyncio.run(sign_out_everywhere(_migrated(), email))
    typer.echo(f"{email} is signed out everywhere.")


@user.command()
def disable(email: str) -> None:
    """Keep a person from using the installation; what they have open ends within a second."""
    _set_disabled(email, disabled=True)


@user.command()
def enable(email: str) -> None:
    """Let a person in again."""
    _set_disabled(email, disabled=False)


@user.command("role")
def change_role(email: str, role: Annotated[Role, typer.Argument(help="What the person may do.")]) -> None:
    """Give a person another role."""
    import asyncio

    from app.cli import people

    asyncio.run(people.change_role(_migrated(), email, role))
    typer.echo(f"{email} is {role} now.")


@user.command()
def delete(email: str) -> None:
    """Delete a person and all that is theirs but the ledger; asks for their name first."""
    import asyncio

    from app.cli import people

    settings = _migrated()
    person = asyncio.run(people.find_person(settings, email))
    typed = typer.prompt(f"All that {person.name} has is deleted for good. Type their name to confirm")
    if " ".join(typed.split()) != person.name:
        raise InputError("name", "is another one. Nothing was deleted.")
    asyncio.run(people.delete_person(settings, person))
    typer.echo(f"{email} is deleted.")


def _set_disabled(email: str, *, disabled: bool) -> None:
    import asyncio

    from app.cli.people import set_disabled

    asyncio.run(set_disabled(_migrated(), email, disabled=disabled))
    typer.echo(f"{email} is {'disabled' if disabled else 'enabled'}.")


@user.command("export")
def export_user(email: str, file: Path) -> None:
    """Write everything about a person to a new zip archive: conversations, files, settings, ledger, sessions, audit."""
    import asyncio

    from app.cli.people import export_everything

    asyncio.run(export_everything(_migrated(), email, file, lambda _done, _total: None))
    typer.echo(f"{file} has everything about {email}.")


@user.command("list")
def list_users() -> None:
    """Print everybody who can sign in."""
    import asyncio

    from app.cli.people import list_people

    for person in asyncio.run(list_people(_migrated())):
        typer.echo(f"{person.role:<7} {person.email}  {person.name}{'  (disabled)' if person.disabled else ''}")


def _say_aside(line: str) -> None:
    """Say something that is no result: on standard error."""
    typer.echo(line, err=True)


Email = Annotated[str, typer.Option(help="Whose; where accounts are off, leave it out.")]


@token.command("add")
def add_token(
    name: str,
    scope: Annotated[list[str], typer.Option(help="read, write, settings or gateway; repeat it for several.")],
    days: Annotated[str, typer.Option(help='For how many days it is valid, or "never" for no end.')] = "90",
    person: Email = "",
) -> None:
    """Make an API token and print it: it cannot be read again."""
    import asyncio

    from app.cli.tokens import add

    typer.echo(asyncio.run(add(_migrated(), person, (name, tuple(scope), days))))


@token.command("list")
def list_tokens(person: Email = "") -> None:
    """Print the API tokens that are not revoked."""
    import asyncio

    from app.cli.tokens import describe_tokens

    for line in asyncio.run(describe_tokens(_migrated(), person)):
        typer.echo(line)


@token.command("revoke")
def revoke_token(token_id: str, person: Email = "") -> None:
    """End an API token; what it has open ends within a second."""
    import asyncio

    from app.cli.tokens import revoke

    asyncio.run(revoke(_migrated(), person, token_id))
    typer.echo(f"The API token {token_id} is revoked.")


def _migrated() -> Settings:
    from app.store.database.migrations import upgrade

    settings = load_settings()
    _take_data_dir(settings)
    upgrade(settings.database_url)
    return settings


def _take_data_dir(settings: Settings) -> None:
    preflight.check_data_dir(settings.data_dir)
    preflight.keep_to_owner(settings, lambda sentence: typer.echo(f"inview: {sentence}", err=True))
