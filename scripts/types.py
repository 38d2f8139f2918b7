"""Write frontend/src/lib/routes.ts, the types of `vitviz.webapp.schemas` in TypeScript: python -m scripts.types."""

import json
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI
from pydantic import TypeAdapter

from vitviz.view import View
from vitviz.webapp.api import ROUTERS
from vitviz.webapp.schemas.base import Progress
from vitviz.webapp.schemas.page import Catalog, ExplorerData
from vitviz.webapp.server.calls import Lines
from vitviz.webapp.server.refusals import Refusal

FILE = Path(__file__).parents[1] / "frontend" / "src" / "lib" / "routes.ts"
HEAD = "/* Data between the page and Python. Written by `python -m scripts.types` from vitviz/webapp/. */\n"
ROOTS = (Catalog, ExplorerData)  # not of a route
WORDS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
Schema = dict[str, Any]
Input = tuple[str, Literal["serialization"], TypeAdapter[Any]]


def main() -> None:
    """Write the file."""
    FILE.write_text(typescript(), encoding="utf-8")


def typescript() -> str:
    """Return the types of all routes, of their requests and replies from the OpenAPI description, and of `ROOTS`."""
    paths, definitions = description()
    definitions = definitions_of_roots() | definitions
    pairs, streams = {}, []
    for path, operation in paths.items():
        (kind, reply), *_ = operation["responses"]["200"]["content"].items()
        request = operation["requestBody"]["content"].get("application/json")
        if request is None:  # an upload is a form
            continue
        pairs[path] = f"  '{path}': [{expression(request['schema'])}, {expression(reply['schema'])}];\n"
        streams += [f"'{path}'"] if kind == Lines.media_type else []
    return "\n".join(
        [
            HEAD,
            *(declaration(name, definitions[name]) for name in sorted(definitions)),
            f"/** Request and reply of each route. */\nexport interface Routes {{\n{''.join(pairs.values())}}}\n",
            f"/** Routes that report their progress. */\nexport type Stream = {' | '.join(streams)};\n",
            f"/** The defaults of a view. */\nexport const VIEW_DEFAULTS: Required<View> = {{\n{defaults()}}};\n",
        ]
    )


def description() -> tuple[Schema, Schema]:
    """Return the operations of the OpenAPI description by path below `API_PREFIX`, and the schemas by name."""
    app = FastAPI()
    for module in ROUTERS:
        app.include_router(module.router, responses={"4XX": {"model": Refusal}})
    found = app.openapi()
    schemas = found["components"]["schemas"]
    used = {name: schema for name, schema in schemas.items() if not name.startswith(("Body_", "HTTPVal", "Validation"))}
    used["Progress"] = Progress.model_json_schema(mode="serialization")
    return {path.removeprefix("/"): methods["post"] for path, methods in found["paths"].items()}, used


def defaults() -> str:
    """Return the fields of a view with their defaults."""
    texts = {name: json.dumps(value).replace('"', "'") for name, value in View().model_dump(mode="json").items()}
    return "".join(f"  {name}: {text},\n" for name, text in texts.items())


def definitions_of_roots() -> Schema:
    """Return the schemas of `ROOTS`, and of what they contain, by name."""
    inputs: list[Input] = [(root.__name__, "serialization", TypeAdapter(root)) for root in ROOTS]
    return TypeAdapter.json_schemas(inputs)[1]["$defs"]


def declaration(name: str, schema: Schema) -> str:
    """Return the declaration of a definition; other types than interfaces are aliases."""
    text = " ".join(schema.get("description", "").partition("Attributes:")[0].split())
    about = f"/** {text} */\n" if text else ""
    if not schema.get("properties"):
        return f"{about}export type {name} = {expression(schema)};\n"
    required = schema.get("required", [])
    lines = [
        f"  {key}{'' if key in required else '?'}: {expression(field)};\n"
        for key, field in schema["properties"].items()
    ]
    return f"{about}export interface {name} {{\n{''.join(lines)}}}\n"


def expression(schema: Schema) -> str:
    """Return the type of a schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema or "enum" in schema:
        return " | ".join(f"'{value}'" for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema or "oneOf" in schema:
        return " | ".join(dict.fromkeys(expression(option) for option in schema.get("anyOf") or schema["oneOf"]))
    if schema["type"] == "array":
        return array(schema)
    if schema["type"] == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {expression(values) if isinstance(values, dict) else 'never'}>"
    return WORDS[schema["type"]]


def array(schema: Schema) -> str:
    """Return the type of an array, or of a tuple if its length is fixed."""
    if "prefixItems" in schema:
        return f"[{', '.join(map(expression, schema['prefixItems']))}]"
    item = expression(schema["items"])
    if "minItems" in schema and schema["minItems"] == schema.get("maxItems"):
        return f"[{', '.join([item] * schema['minItems'])}]"
    return f"({item})[]" if " | " in item else f"{item}[]"


if __name__ == "__main__":
    main()
