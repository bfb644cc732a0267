"""`make audit`: asks the registries for known vulnerabilities of the pinned packages, Python's and npm's.

The registry is the one that uv and npm are set up for; none is named here. A registry of Python packages tells the
vulnerabilities of a release in the JSON document beside its index, if it has one; npm's by `npm audit`. A registry that
tells of none, or cannot be reached, is named as skipped and is no failure: only a vulnerability is.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast
from urllib.parse import urlsplit

ROOT: Final = Path(__file__).resolve().parents[1]
BIN: Final = Path(sys.executable).parent
LOCKS: Final = ("requirements.lock", "requirements-dev.lock")
NPM_LOCKS: Final = ("reflex.lock", "tests/islands", "tests/third_party")
_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
_TIMEOUT: Final = 20


class NotToldError(Exception):
    """The registry does not tell vulnerabilities, or does not answer."""


def main() -> int:
    """Audit all; 1 if anything pinned is vulnerable."""
    found: list[str] = []
    try:
        packages = pinned(*((ROOT / lock).read_text(encoding="utf-8") for lock in LOCKS))
        found += audit_python(index_url(), packages)
        print(f"Python: {len(packages)} packages, {len(found)} vulnerabilities.")
    except NotToldError as reason:
        print(f"Python: skipped. {reason}")
    for folder in NPM_LOCKS:
        try:
            told = audit_npm(ROOT / folder)
            print(f"npm, {folder}: {len(told)} vulnerable packages.")
            found += told
        except NotToldError as reason:
            print(f"npm, {folder}: skipped. {reason}")
    print("\n".join(found))
    return 1 if found else 0


def pinned(*locks: str) -> tuple[tuple[str, str], ...]:
    """Names and versions of what these lock files pin."""
    return tuple(sorted({(name, version) for lock in locks for name, version in _PINNED.findall(lock)}))


def index_url() -> str:
    """The index of Python packages that uv is set up for."""
    with TemporaryDirectory() as folder:
        nothing = Path(folder) / "nothing.in"
        nothing.touch()
        command = [str(BIN / "uv"), "pip", "compile", "--quiet", "--offline", "--no-header", "--emit-index-url"]
        said = subprocess.run([*command, str(nothing)], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^--index-url (\S+)", said, re.MULTILINE)
    if found is None:
        raise NotToldError("uv names no index.")
    return found[1]


def audit_python(index: str, packages: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each vulnerability that the registry of this index tells of.

    Raises:
        NotToldError: it tells of none at all, or does not answer.
    """
    if urlsplit(index).scheme not in {"http", "https"}:
        raise NotToldError("The index is a folder, which tells no vulnerabilities.")
    base = index.rstrip("/").removesuffix("/simple")
    _told(base, *packages[0])  # a registry that does not tell is asked once

    def ask(package: tuple[str, str]) -> list[str]:
        return _told(base, *package)

    with ThreadPoolExecutor(4) as asking:
        return [line for lines in asking.map(ask, packages) for line in lines]


def _told(base: str, name: str, version: str) -> list[str]:
    try:
        with urllib.request.urlopen(f"{base}/pypi/{name}/{version}/json", timeout=_TIMEOUT) as answer:
            said: Any = json.load(answer)
        told: list[dict[str, Any]] = said["vulnerabilities"]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise NotToldError(f"The index does not tell of {name} {version}: {type(fault).__name__}.") from fault
    return [
        f"{name} {version}: {one['id']}, fixed in {', '.join(one.get('fixed_in') or []) or 'no version yet'}"
        for one in told
        if not one.get("withdrawn")
    ]


def audit_npm(folder: Path) -> list[str]:
    """A line for each package in this folder's lock file that the registry knows to be vulnerable.

    Raises:
        NotToldError: npm was told nothing.
    """
    command = [str(BIN / "npm"), "audit", "--json", "--package-lock-only"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    try:
        said: Any = json.loads(ended.stdout)
        told = cast("dict[str, dict[str, Any]]", said["vulnerabilities"])
    except (ValueError, KeyError, TypeError) as fault:
        raise NotToldError("npm was told of no vulnerabilities by its registry.") from fault
    return [f"{name}: {one['severity']} ({one['range']})" for name, one in sorted(told.items())]


if __name__ == "__main__":
    sys.exit(main())
