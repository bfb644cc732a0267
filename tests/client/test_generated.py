"""The client says what the OpenAPI document says, and a wheel of it holds all that it needs."""

from __future__ import annotations

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.client.document import describe_client, short_names
from tests.client.generation import GENERATOR, ROOT, generate
from tests.client.requests import name_request, write_requests


@pytest.mark.skipif(not GENERATOR.exists(), reason="the generator is not installed: `make client` does that")
def test_the_generated_modules_are_up_to_date():
    for path, text in generate().items():
        stands = without_words(path.read_text(encoding="utf-8"))
        assert stands == without_words(text), f"{path.relative_to(ROOT)} is not current: run `make client`"


def without_words(text: str) -> str:
    """The code without descriptions: another sentence in a route's description makes no client outdated.

    >>> without_words('a: Annotated[str, Field(description="One.")]') == without_words("a: str")
    True
    """
    return ast.dump(WithoutWords().visit(ast.parse(text)))


class WithoutWords(ast.NodeTransformer):
    """Drops docstrings, and descriptions of fields."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [each for each in node.keywords if each.arg != "description"]
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Subscript(
                value=ast.Name("Annotated"),
                slice=ast.Tuple(elts=[kept, ast.Call(func=ast.Name("Field"), args=[], keywords=[])]),
            ):
                return kept
            case _:
                return node


def test_every_request_of_the_document_has_its_function_but_for_the_stream():
    document = describe_client()
    text = write_requests(document)
    requests = [(method, path) for path, methods in document["paths"].items() for method in methods]

    missing = [each for each in requests if f"def {name_request(*each)}(" not in text]
    assert missing == [("get", "/api/v1/runs/{run_id}/events")]


def test_two_requests_cannot_get_one_name():
    document = describe_client()
    paths = document["paths"]
    alike = {"/api/v1/pair/{pair_id}/raw": paths["/api/v1/pairs/{pair_id}/raw"]}

    with pytest.raises(ValueError, match="Two requests would be the function get_pair_raw"):
        write_requests({**document, "paths": {**paths, **alike}})


def test_a_class_keeps_its_name_apart_from_that_of_another_module():
    names = short_names({"app__views__usage__LineView": {}, "app__views__filter_line__LineView": {}})

    assert list(names.values()) == ["UsageLineView", "FilterLineLineView"]


def test_the_package_is_built_with_its_types(tmp_path: Path):
    uv = Path(sys.executable).with_name("uv")
    subprocess.run(
        [uv, "build", "--quiet", "--offline", "--wheel", "client", "--out-dir", tmp_path], cwd=ROOT, check=True
    )

    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {f"inview_client/{path.name}" for path in (ROOT / "client/inview_client").iterdir() if path.is_file()}
    assert modules <= names
    assert "inview_client/py.typed" in names
