"""Islands: small, without HTTP, within their region, and with the types that Python gives them."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest
import reflex as rx

from app.ui.build.islands import remove_stale, sources
from app.ui.kit.island import UI, Island, IslandError, island
from tests.islands.views import FILE, UnknownTypeError, all_islands, all_views, describe, region_of
from tests.node import NODE

HERE = Path(__file__).parent
MAY_TRANSFER: frozenset[str] = frozenset({"composer/attach.tsx", "kit/controls/file_upload.tsx"})
"""Islands that upload or download a file, by their path in app/ui."""

FILES = {path.relative_to(UI).as_posix(): path for path in sources()}


def test_only_islands_that_transfer_files_make_requests() -> None:
    asks = re.compile(r"\bfetch\(|XMLHttpRequest|EventSource|new WebSocket|sendBeacon")

    assert {name for name, path in FILES.items() if asks.search(path.read_text())} <= MAY_TRANSFER


def test_islands_import_islands_of_their_region_and_of_the_kit_only() -> None:
    for name, path in FILES.items():
        for target in re.findall(r'(?:from|import)\s*\(?\s*"([./$][^"]*)"', path.read_text()):
            imported = (path.parent / target).resolve()
            assert imported.is_file(), f"{name}: {target}, with its folder and its ending"
            assert imported.relative_to(UI).parts[0] in {Path(name).parts[0], "kit"}, (name, target)


def test_the_types_that_islands_import_are_those_of_python() -> None:
    views = all_views()

    assert {path: path.read_text() for path in views} == views, "Run: make types"
    assert set(views) == {path for path in FILES.values() if path.name == FILE}


def test_every_wrapper_names_something_that_its_file_exports() -> None:
    for each in all_islands():
        path = UI / str(each.library).removeprefix("$/islands/")
        assert re.search(rf"export (function|const) {each.tag}\b", path.read_text()), each


def test_a_region_wraps_its_own_islands() -> None:
    for each in all_islands():
        assert each.__module__.startswith(f"app.ui.{region_of(each)}."), each


def test_the_packages_for_the_checks_are_those_of_the_page() -> None:
    page = json.loads((UI.parents[1] / "reflex.lock/package-lock.json").read_text())["packages"]
    checks = json.loads((HERE / "package-lock.json").read_text())["packages"]
    shared = page.keys() & checks.keys() & {f"node_modules/{name}" for name in checks[""]["devDependencies"]}

    assert "node_modules/react" in shared
    assert {name: checks[name]["version"] for name in shared} == {name: page[name]["version"] for name in shared}


def test_the_modules_of_islands_do_what_their_own_tests_say() -> None:
    if not (HERE / "node_modules").exists():
        pytest.skip("The tools for TypeScript are not installed: make .venv/islands")

    command = [NODE, "--test", *sorted(HERE.glob("*.test.ts"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)

    assert done.returncode == 0, done.stdout


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Brush:
    colour: Colour
    size: int | None


def painted(colour: rx.Var[Colour], size: rx.Var[int]) -> tuple[rx.Var[Colour], rx.Var[int]]:
    return colour, size


class Painter(Island):
    library = "$/islands/kit/painter.tsx"
    tag = "Painter"
    brushes: rx.Var[tuple[Brush, ...]]
    spot_size: rx.Var[float] | None = None
    on_paint: rx.EventHandler[painted]


def test_views_are_written_field_by_field() -> None:
    assert describe([Painter]).split("\n\n", 2)[2] == (
        "export interface Brush {\n  readonly colour: Colour;\n  readonly size: number | null;\n}\n\n"
        'export type Colour = "red" | "blue";\n\n'
        "export interface PainterProps {\n"
        "  readonly brushes: readonly Brush[];\n"
        "  readonly spotSize?: number | undefined;\n"
        "  readonly onPaint?: ((colour: Colour, size: number) => void) | undefined;\n"
        "  readonly children?: ReactNode;\n"
        "  readonly className?: string | undefined;\n"
        "}\n"
    )


def test_a_prop_without_a_type_in_typescript_is_refused() -> None:
    class Clock(Island):
        library = "$/islands/kit/clock.tsx"
        tag = "Clock"
        at: rx.Var[bytes]

    with pytest.raises(UnknownTypeError, match="bytes"):
        describe([Clock])


def test_an_island_is_not_made_without_its_props() -> None:
    with pytest.raises(IslandError, match="Painter is used without brushes"):
        Painter.create(spot_size=2.0)


def test_an_island_without_a_file_is_refused() -> None:
    with pytest.raises(IslandError, match="nowhere"):
        island("kit/nowhere.tsx")


def test_files_of_earlier_builds_go(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    for name in ("old.tsx", "dialog.tsx"):
        (tmp_path / "kit" / name).touch()

    remove_stale(tmp_path, {"kit/dialog.tsx"})

    assert [path.name for path in tmp_path.rglob("*.tsx")] == ["dialog.tsx"]
