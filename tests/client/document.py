"""The OpenAPI document as the client's generator wants it: short names, and no bounds that only the server checks."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, cast

from tests.api.served import api_document

Json = dict[str, Any]
REF = "#/components/schemas/"
_VARIANTS = ("-Input", "-Output")
_DROPPED = frozenset(
    {
        *("title", "examples", "maxLength", "minLength", "pattern", "maximum", "minimum"),
        *("exclusiveMaximum", "exclusiveMinimum", "maxItems", "minItems", "maxProperties", "minProperties"),
    }
)


def describe_client() -> Json:
    """The document that `inview_client` is generated from."""
    document = deepcopy(api_document())
    schemas: dict[str, Json] = document["components"]["schemas"]
    names = short_names(schemas)
    document["components"]["schemas"] = {names[name]: _simplify(schema, names) for name, schema in schemas.items()}
    document["paths"] = _simplify(document["paths"], names)
    return document


def short_names(schemas: dict[str, Json]) -> dict[str, str]:
    """The name of its class for each schema: one that two modules have gets the name of the module before it.

    >>> list(short_names({"app__views__server__PromptView": {}, "PromptView-Input": {}, "Answer": {}}).values())
    ['ServerPromptView', 'ServerPromptView', 'Answer']
    """
    names: dict[str, str] = {}
    for name in sorted(schemas, key=lambda name: name.endswith(_VARIANTS)):
        if name.endswith(_VARIANTS):
            own = name.partition("-")[0]
            twins = (other for other in names if other.endswith(own) and schemas[other] == schemas[name])
            names[name] = names[twin] if (twin := next(twins, None)) else name.replace("-", "")
        else:
            *modules, own = name.split("__")
            module = "".join(word.title() for word in modules[-1].split("_")) if modules else ""
            names[name] = own if own.startswith(module) else module + own
    return {name: names[name] for name in schemas}


def _simplify(value: Any, names: dict[str, str], *, of_fields: bool = False) -> Any:
    match value:
        case dict():
            said = cast("Json", value)
            return {
                key: REF + names[each.removeprefix(REF)]
                if key == "$ref"
                else _simplify(each, names, of_fields=key == "properties" and not of_fields)
                for key, each in said.items()
                if of_fields or not _is_dropped(key, each)
            }
        case list():
            return [_simplify(each, names) for each in cast("list[Any]", value)]
        case _:
            return value


def _is_dropped(key: str, value: Any) -> bool:
    # A default that is an object would be a plain dict where the field has a class.
    return key in _DROPPED or (key == "default" and isinstance(value, dict))
