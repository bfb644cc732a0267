"""`inview`: serve, build, migrate, doctor. Each command is a few calls; what they do lives beside this file.

    $ inview serve
    $ INVIEW_PORT=8080 inview serve
"""

from __future__ import annotations

import sys

import typer

from app.cli import build, preflight
from app.settings import Settings, SettingsError, load_settings

cli = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


def main() -> None:
    """Run the command; a fault a person can mend is one sentence and exit code 1, never a traceback."""
    try:
        cli()
    except (SettingsError, preflight.NotReadyError, build.BuildError) as fault:
        typer.echo(f"inview: {fault}", err=True)
        sys.exit(1)


@cli.command()
def serve() -> None:
    """Serve page, API and sockets on one port; builds and migrates first where needed."""
    settings = load_settings()
    listener = preflight.bind_port(settings)
    preflight.check_data_dir(settings.data_dir)
    preflight.claim_data_dir(settings.data_dir)
    page = build.ensure_built(typer.echo)
    from app.cli import serve as server  # noqa: PLC0415 - a second of imports, worth nothing to the other commands

    server.run(settings, page, listener, typer.echo)


@cli.command("build")
def build_page() -> None:
    """Build the page now, if what it is made of changed."""
    typer.echo(f"The page is in {build.ensure_built(typer.echo)}.")


@cli.command()
def doctor() -> None:
    """Show every setting (secrets masked) and whether a server could start here."""
    settings: Settings = load_settings()
    for name, shown in settings.describe().items():
        typer.echo(f"{name:<22} {shown or '-'}")
    preflight.check_data_dir(settings.data_dir)
    preflight.bind_port(settings).close()
    typer.echo("All is well: a server can start here.")
