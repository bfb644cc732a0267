"""The `inview` command: serve, build, migrate, verify, doctor. Each command calls the other modules of this package.

$ inview serve
$ INVIEW_PORT=8080 inview serve
"""

# Commands import large modules themselves, so that `inview doctor` need not wait a second for the modules of the
# server.
# ruff: noqa: PLC0415 - see above

from __future__ import annotations

import gc
import os
import sys
from dataclasses import replace
from typing import Annotated

import typer

from app.cli import build, preflight
from app.cli.reduced_imports import import_sparingly
from app.config.settings import OPEN_TO_OTHERS, Settings, load_settings
from app.domain.errors import InviewError

cli = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


def main() -> None:
    """Run a command of `inview`. An expected error is printed as one sentence with exit code 1, without a traceback."""
    os.umask(0o077)  # from here on, only the owner may read new files
    try:
        cli()
    except InviewError as fault:
        typer.echo(f"inview: {fault}", err=True)
        sys.exit(1)


@cli.command()
def serve() -> None:
    """Start the server: the page, the API and their sockets on one port.

    Builds the page and migrates the database first if necessary.
    Runs until Ctrl+C or SIGTERM, then saves running replies and ends.
    """
    gc.disable()  # imports leave no garbage; the server switches the collector on again
    settings = load_settings()
    preflight.check_compatible(settings)
    listener = preflight.bind_port(settings)
    if settings.port == 0:
        settings = replace(settings, port=listener.getsockname()[1])
        typer.echo(f"Listening on port {settings.port}.")
    _take_data_dir(settings)
    import_sparingly("structlog")  # before Inview's own modules import it
    import_sparingly("uvicorn")
    from app.cli import logs, migrating, server

    migrating.migrate_apart(settings.database_url)
    page = build.ensure_built(typer.echo)
    logs.configure_logs(settings.log_level)
    server.run(settings, page, listener, typer.echo)


@cli.command("build")
def build_page() -> None:
    """Build the page if its sources have changed, and print its folder.

    The command "serve" also does this when it starts.
    """
    typer.echo(f"The page is in {build.ensure_built(typer.echo)}.")


@cli.command()
def migrate() -> None:
    """Update the tables of the database to this version of Inview.

    The command "serve" also does this when it starts.
    """
    from app.store.database.migrations import upgrade

    settings = load_settings()
    _take_data_dir(settings)
    upgrade(settings.database_url)
    typer.echo(f"The database is up to date: {settings.describe()['INVIEW_DATABASE_URL']}")


@cli.command()
def verify(
    conversation: Annotated[
        str | None, typer.Argument(help="The id of a conversation. Default: all conversations.")
    ] = None,
) -> None:
    """Check that stored requests equal those that were sent.

    Builds each stored request again, and compares its hash with the sent one.
    Exit code: 1 if a request differs, otherwise 0.
    """
    import asyncio

    from app.cli.verifying import verify_requests

    settings = load_settings()
    _take_data_dir(settings)
    if not asyncio.run(verify_requests(settings, conversation, typer.echo)):
        sys.exit(1)


@cli.command()
def doctor(
    *,
    mend: Annotated[
        bool, typer.Option("--mend", help="Repair damage where no data is lost. Stop the server first.")
    ] = False,
) -> None:
    """Show the settings, and check the machine and the database.

    Secrets are masked.
    Exit code: 0 if a server can start here and nothing is damaged, else 1.
    With --mend, only the damage that remains counts.
    """
    from app.cli import logs
    from app.cli.examining import mend_damage, report_damage

    settings = load_settings()
    for name, shown in settings.describe().items():
        typer.echo(f"{name:<22} {shown or '-'}")
    preflight.check_compatible(settings)
    preflight.check_data_dir(settings.data_dir)
    preflight.bind_port(settings).close()
    if settings.is_open_to_others:
        typer.echo(OPEN_TO_OTHERS.format(host=settings.host), err=True)
    logs.silence_logs()
    if mend:
        mend_damage(settings.database_url, typer.echo)
    if damaged := report_damage(settings.database_url, typer.echo):
        typer.echo(f"The server can start. Damaged values in the database: {damaged:,}.")
        sys.exit(1)
    typer.echo("No problems found. The server can start.")


def _take_data_dir(settings: Settings) -> None:
    preflight.check_data_dir(settings.data_dir)
    preflight.keep_to_owner(settings, lambda sentence: typer.echo(f"inview: {sentence}", err=True))
