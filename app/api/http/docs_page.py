"""The browsable description of the API: one page made from the OpenAPI document, without a script.

The usual viewers load their code from another site, or need a content security policy that allows any script. This page
needs only a style sheet.

The description itself is `/api/v1/openapi.json`, which is made from the routes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from typing import Any

from app.views.problem import PROBLEMS, TYPE_PREFIX

# The content security policy of the page, which is text and one style sheet. Nothing else may be loaded, no script may
# run, and no page may frame this one.
PAGE_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
STYLE = files("app.api.http").joinpath("docs_page.css").read_text(encoding="utf-8")

Json = Mapping[str, Any]


def describe_api(openapi: Json, style_url: str) -> str:
    """Return the page that describes the API, as HTML made from the OpenAPI document."""
    info = openapi["info"]
    operations = [
        (path, method, operation) for path, methods in openapi["paths"].items() for method, operation in methods.items()
    ]
    tags = list(dict.fromkeys(operation["tags"][0] for _, _, operation in operations))
    links = " ".join(f'<a href="#{escape(place)}">{escape(place)}</a>' for place in (*tags, "problems", "shapes"))
    body = [f"<h1>{escape(info['title'])}</h1>", *_paragraphs(info["description"]), f"<nav>{links}</nav>"]
    for tag in tags:
        body.append(f'<h2 id="{escape(tag)}">{escape(tag)}</h2>')
        body += [_operation(path, method, spec) for path, method, spec in operations if spec["tags"][0] == tag]
    body += ['<h2 id="problems">problems</h2>', _problems(), '<h2 id="shapes">schemas</h2>']
    body += [_shape(name, schema) for name, schema in sorted(openapi["components"]["schemas"].items())]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(info["title"])}</title><link rel="stylesheet" href="{escape(style_url)}"></head>'
        f"<body><main>{''.join(body)}</main></body></html>"
    )


def _operation(path: str, method: str, operation: Json) -> str:
    rows = "".join(_parameter_row(parameter) for parameter in operation.get("parameters", ()))
    parameters = f"<table><tr><th>parameter</th><th>in</th><th>what</th></tr>{rows}</table>" if rows else ""
    request = operation.get("requestBody")
    sends = f"<p>Body: {_media(request)}</p>" if request else ""
    answers = "".join(
        f"<tr><td>{escape(status)}</td><td>{_inline(answer.get('description', ''))}</td><td>{_media(answer)}</td></tr>"
        for status, answer in operation["responses"].items()
    )
    return (
        f"<details><summary><b>{method.upper()}</b> <code>{escape(path)}</code> "
        f"{escape(operation['summary'])}</summary>{''.join(_paragraphs(operation.get('description', '')))}"
        f"{parameters}{sends}<table><tr><th>status</th><th>description</th><th>schema</th></tr>{answers}</table></details>"
    )


def _parameter_row(parameter: Json) -> str:
    name = escape(parameter["name"]) + (" *" if parameter["required"] else "")
    return (
        f"<tr><td><code>{name}</code></td><td>{escape(parameter['in'])}</td>"
        f"<td>{_inline(parameter.get('description', ''))} {_type(parameter['schema'])}</td></tr>"
    )


def _media(part: Json) -> str:
    return " or ".join(
        f"<code>{escape(media_type)}</code> {_type(content.get('schema') or content.get('itemSchema', {}))}"
        for media_type, content in part.get("content", {}).items()
    )


def _problems() -> str:
    rows = "".join(
        f"<tr><td>{kind.status}</td><td><code>{TYPE_PREFIX}{name}</code></td><td>{escape(kind.title)}</td></tr>"
        for name, kind in PROBLEMS.items()
    )
    return f"<table><tr><th>status</th><th>type</th><th>title</th></tr>{rows}</table>"


def _shape(name: str, schema: Json) -> str:
    required = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(field)}{'' if field in required else '?'}</code></td>"
        f"<td>{_type(described)}</td><td>{_inline(described.get('description', ''))}</td></tr>"
        for field, described in schema.get("properties", {}).items()
    )
    fields = f"<table><tr><th>field</th><th>type</th><th>what</th></tr>{rows}</table>" if rows else _type(schema)
    description = "".join(_paragraphs(schema.get("description", "")))
    return f'<h3 id="shape-{escape(name)}">{escape(name)}</h3>{description}{fields}'


def _type(schema: Json) -> str:
    """Write a schema on one line, with links to other schemas."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[-1])
        return f'<a href="#shape-{name}">{name}</a>'
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(map(_type, options))
    if "const" in schema:
        return f"<code>{escape(json.dumps(schema['const']))}</code>"
    if "enum" in schema:
        return " | ".join(f"<code>{escape(json.dumps(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"[{_type(schema.get('items', {}))}, …]"
    kind = schema.get("type", "any")
    limits = ", ".join(
        f"{name} {schema[name]}"
        for name in ("minimum", "maximum", "minLength", "maxLength", "pattern", "format", "default")
        if name in schema
    )
    return escape(f"{kind} ({limits})" if limits else kind)


def _paragraphs(text: str) -> Iterator[str]:
    return (f"<p>{_inline(paragraph)}</p>" for paragraph in text.split("\n\n") if paragraph.strip())


def _inline(text: str) -> str:
    """Escape a text, with `code` as code elements."""
    return "".join(
        f"<code>{escape(piece)}</code>" if index % 2 else escape(piece) for index, piece in enumerate(text.split("`"))
    )
