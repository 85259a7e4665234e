#!/usr/bin/env python3
"""Writes what the Python and the TypeScript client know of the HTTP interface, from the OpenAPI document.

    tools/generate_clients.py           write both files anew
    tools/generate_clients.py --check   say whether they are as they would be written; exit code 1 if not

The types of every answer and input, and a method for every operation, come out of docs/reference/openapi.json, so that a client
cannot tell another story than the server. How a call is sent, repeated and read is written by hand beside them.
"""

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/reference/openapi.json"
PYTHON = ROOT / "clients/python/src/testimony_memory/_generated.py"
TYPESCRIPT = ROOT / "clients/typescript/src/generated.ts"

IMPORTANT = "Generated from docs/reference/openapi.json by tools/generate_clients.py; do not edit."


class Field:
    """A field of an input: where it goes, and whether it must be there."""

    def __init__(self, name, place, schema, required, description):
        self.name, self.place, self.schema, self.required = name, place, schema, required
        self.description = description


class Operation:
    """An operation of the document, with its fields in the order a caller would name them."""

    def __init__(self, document, path, method, told):
        self.path, self.method = path, method.upper()
        self.name, self.summary, self.description = told["operationId"], told["summary"], told["description"]
        self.fields, self.of_subject, self.has_key = [], False, False
        for parameter in told.get("parameters", []):
            reference = parameter.get("$ref", "").rsplit("/", 1)[-1]
            if reference == "Subject":
                self.of_subject = True
            elif reference == "IdempotencyKey":
                self.has_key = True
            else:
                self.fields.append(
                    Field(
                        parameter["name"],
                        parameter["in"],
                        parameter["schema"],
                        parameter["required"],
                        parameter.get("description"),
                    )
                )
        body = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        needed = body.get("required", [])
        for name, schema in body.get("properties", {}).items():
            self.fields.append(Field(name, "body", schema, name in needed, schema.get("description")))
        # Those that must be given come first; within each half the document's own order stays.
        self.fields.sort(key=lambda field: not field.required)
        self.has_body = "requestBody" in told
        answers = told["responses"]["200"]["content"]
        # What comes piece by piece comes as lines of JSON.
        self.streams = "application/json" not in answers
        self.answer = answers["application/x-ndjson" if self.streams else "application/json"]["schema"]
        self.items = self.paged_items(document)

    def paged_items(self, document):
        """The field of the answer that holds the items of a page, with their schema; nothing where there are no pages."""
        if not any(field.name == "cursor" for field in self.fields):
            return None
        answer = document["components"]["schemas"][self.answer["$ref"].rsplit("/", 1)[-1]]
        lists = [
            (name, schema["items"])
            for name, schema in answer["properties"].items()
            if "$ref" in (schema.get("items") or {})
        ]
        (items,) = lists
        return items


def operations(document):
    return [
        Operation(document, path, method, told)
        for path, methods in document["paths"].items()
        for method, told in methods.items()
    ]


def kinds(schema):
    """The types a schema allows, `null` apart."""
    kind = schema.get("type")
    listed = kind if isinstance(kind, list) else [kind]
    return [one for one in listed if one != "null"], "null" in listed


def expression(schema, language):
    """The type of a schema in a language."""
    words = language
    if schema is True:
        return words["any"]
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            parts = [expression(part, language) for part in schema[union]]
            return " | ".join(dict.fromkeys(parts))
    if "const" in schema:
        return words["literal"]([schema["const"]])
    if "enum" in schema:
        values = [value for value in schema["enum"] if value is not None]
        null = None in schema["enum"]
        return words["literal"](values) + (f" | {words['null']}" if null else "")
    found, null = kinds(schema)
    parts = []
    for kind in found:
        if kind == "array":
            parts.append(words["list"](expression(schema.get("items", {}), language)))
        elif kind == "object":
            inner = schema.get("additionalProperties", True)
            parts.append(words["map"](expression(inner if isinstance(inner, dict) else {}, language)))
        elif kind is None:
            return words["any"]
        else:
            parts.append(words[kind])
    return " | ".join(parts + [words["null"]] * null) or words["any"]


PYTHON_WORDS = {
    "literal": lambda values: f"Literal[{', '.join(json.dumps(value) for value in values)}]",
    "list": lambda inner: f"list[{inner}]",
    "map": lambda inner: f"dict[str, {inner}]",
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "any": "Any",
}

# A class with a method `list` has no other `list` inside.
PYTHON_ARGUMENT_WORDS = {**PYTHON_WORDS, "list": lambda inner: f"Sequence[{inner}]"}

TYPESCRIPT_WORDS = {
    "literal": lambda values: " | ".join(json.dumps(value) for value in values),
    "list": lambda inner: f"Array<{inner}>",
    "map": lambda inner: f"Record<string, {inner}>",
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "any": "unknown",
}


def python_name(name):
    return f"{name}_" if keyword.iskeyword(name) else name


def prose(text, indent, first=""):
    """A docstring or comment, wrapped."""
    return textwrap.fill(f"{first}{text}", 110, initial_indent=indent, subsequent_indent=indent)


def python_type(name, schema):
    described = (schema.get("description") or "").strip()
    if "properties" not in schema:
        yield f"{name} = {expression(schema, PYTHON_WORDS)}"
        yield f'"""{described}"""'
        yield ""
        yield ""
        return
    required = schema.get("required", [])
    fields = {}
    for field, inner in schema["properties"].items():
        told = expression(inner, PYTHON_WORDS)
        fields[field] = told if field in required else f"NotRequired[{told}]"
    if any(keyword.iskeyword(field) for field in fields):
        inside = ", ".join(f"{json.dumps(field)}: {json.dumps(told)}" for field, told in fields.items())
        yield f"{name} = TypedDict({json.dumps(name)}, {{{inside}}})"
        yield f'"""{described}"""'
    else:
        yield f"class {name}(TypedDict):"
        yield f'    """{described}"""'
        yield ""
        for field, told in fields.items():
            yield f"    {field}: {told}"
            if schema["properties"][field].get("description"):
                yield f'    """{" ".join(schema["properties"][field]["description"].split())}"""'
        if not fields:
            yield "    pass"
    yield ""
    yield ""


def python_method(operation, awaited):
    """A method of the client; `awaited` for the one that does not block."""
    answer = expression(operation.answer, PYTHON_WORDS)
    arguments, told = ["self"], []
    keywords_began = False
    for field in operation.fields:
        kind = expression(field.schema, PYTHON_ARGUMENT_WORDS)
        if not field.required and not keywords_began:
            arguments.append("*")
            keywords_began = True
        default = ""
        if not field.required:
            kind = kind if kind.endswith("None") or kind == "Any" else f"{kind} | None"
            default = " = None"
        arguments.append(f"{python_name(field.name)}: {kind}{default}")
        if field.description:
            told.append((python_name(field.name), " ".join(field.description.split())))
    if not keywords_began:
        arguments.append("*")
    if operation.of_subject:
        arguments.append("subject: str | None = None")
        told.append(("subject", "Whose memory is meant; what the client was made for, when left out."))
    if operation.has_key:
        arguments.append("idempotency_key: str | None = None")
        told.append(("idempotency_key", "The key of this call; one is made, when left out."))
    arguments.append("timeout: float | None = None")
    waited = "until the next piece comes" if operation.streams else "the call may take, repetitions apart"
    told.append(("timeout", f"Seconds {waited}; the client's own, when left out."))

    def parts(place):
        inside = ", ".join(
            f"{json.dumps(field.name)}: {python_name(field.name)}"
            for field in operation.fields
            if field.place == place
        )
        return f"{{{inside}}}"

    wait, define = ("await ", "async def") if awaited else ("", "def")
    returned = answer
    if operation.streams:
        # A method that hands out what is iterated over has nothing to wait for itself.
        wait, define, returned = "", "def", f"{'AsyncIterator' if awaited else 'Iterator'}[{answer}]"
    yield f"    {define} {python_name(operation.name)}({', '.join(arguments)}) -> {returned}:"
    yield f'        """{operation.summary}.'
    yield ""
    yield f"        {operation.description}"
    yield ""
    for name, meaning in told:
        yield prose(meaning, "            ", f"{name}: ").replace("            ", "        ", 1)
    yield '        """'
    opening = "return self._pieces(Call(" if operation.streams else f"answer: {answer} = {wait}self._ask(Call("
    yield f"        {opening}"
    yield f"            {json.dumps(operation.method)}, {json.dumps(operation.path)}, path_fields={parts('path')}, query={parts('query')},"
    yield f"            body={parts('body') if operation.has_body else 'None'},"
    subject = "subject" if operation.of_subject else "None"
    key = "idempotency_key" if operation.has_key else "None"
    yield f"            subject={subject}, of_subject={operation.of_subject}, key={key}, takes_key={operation.has_key}, timeout=timeout,"
    yield "        ))"
    if not operation.streams:
        yield "        return answer"
    yield ""
    if operation.items:
        yield from python_pages(operation, awaited)


def python_pages(operation, awaited):
    name, schema = operation.items
    item = expression(schema, PYTHON_WORDS)
    fields = [field for field in operation.fields if field.name != "cursor"]
    needed = [field for field in fields if field.required]
    arguments = ["self", *(f"{python_name(field.name)}: {expression(field.schema, PYTHON_ARGUMENT_WORDS)}" for field in needed), "*"]
    for field in fields:
        if not field.required:
            arguments.append(f"{python_name(field.name)}: {expression(field.schema, PYTHON_ARGUMENT_WORDS)} | None = None")
    if operation.of_subject:
        arguments.append("subject: str | None = None")
    passed = [f"{python_name(field.name)}={python_name(field.name)}" for field in fields] + ["cursor=cursor"]
    if operation.of_subject:
        passed.append("subject=subject")
    wait, define, kind = ("await ", "async def", "AsyncIterator") if awaited else ("", "def", "Iterator")
    yield f"    {define} every_{operation.name}({', '.join(arguments)}) -> {kind}[{item}]:"
    yield f'        """Every item of `{operation.name}`, page after page; `limit` is that of one page."""'
    yield "        cursor: str | None = None"
    yield "        while True:"
    yield f"            page = {wait}self.{python_name(operation.name)}({', '.join(passed)})"
    yield f'            for item in page["{name}"]:'
    yield "                yield item"
    yield '            cursor = page.get("next")'
    yield "            if cursor is None:"
    yield "                return"
    yield ""


def python(document):
    yield f'"""{IMPORTANT}"""'
    yield ""
    yield "# ruff: noqa"
    yield "from __future__ import annotations"
    yield ""
    yield "from collections.abc import AsyncIterator, Iterator, Sequence"
    yield "from typing import Any, Literal, NotRequired, TypedDict"
    yield ""
    yield "from ._call import Call"
    yield ""
    yield ""
    for name, schema in sorted(document["components"]["schemas"].items(), key=lambda one: "properties" in one[1]):
        yield from python_type(name, schema)
    for awaited in (False, True):
        yield f"class {'AsyncOperations' if awaited else 'Operations'}:"
        yield f'    """Every operation of the interface{", without blocking" if awaited else ""}."""'
        yield ""
        define = "async def" if awaited else "def"
        yield f"    {define} _ask(self, call: Call) -> Any:"
        yield "        raise NotImplementedError"
        yield ""
        yield f"    def _pieces(self, call: Call) -> {'AsyncIterator' if awaited else 'Iterator'}[Any]:"
        yield "        raise NotImplementedError"
        yield ""
        for operation in operations(document):
            yield from python_method(operation, awaited)
        yield ""


def camel(name):
    return re.sub(r"_(\w)", lambda found: found.group(1).upper(), name)


def typescript_type(name, schema):
    yield f"/** {' '.join((schema.get('description') or name).split())} */"
    if "properties" not in schema:
        yield f"export type {name} = {expression(schema, TYPESCRIPT_WORDS)};"
        yield ""
        return
    required = schema.get("required", [])
    yield f"export interface {name} {{"
    yield from typescript_fields(schema["properties"].items(), required)
    yield "}"
    yield ""


def typescript_fields(fields, required):
    for field, inner in fields:
        if inner.get("description"):
            yield f"  /** {' '.join(inner['description'].split())} */"
        optional = "" if field in required else "?"
        yield f"  {field}{optional}: {expression(inner, TYPESCRIPT_WORDS)};"


def typescript_method(operation):
    answer = expression(operation.answer, TYPESCRIPT_WORDS)
    name = camel(operation.name)
    takes = name[0].upper() + name[1:] + "Asked"
    optional = all(not field.required for field in operation.fields)
    argument = f"input: {takes}{' = {}' if optional else ''}, " if operation.fields else ""
    passed = "input" if operation.fields else "{}"
    places = {place: [field.name for field in operation.fields if field.place == place] for place in ("path", "query", "body")}
    yield f"  /** {operation.summary}. {operation.description} */"
    returned, asked = ("AsyncGenerator<{}, void, undefined>", "pieces") if operation.streams else ("Promise<{}>", "ask")
    yield f"  {name}({argument}options: CallOptions = {{}}): {returned.format(answer)} {{"
    yield f"    return this.{asked}({{"
    yield f"      method: {json.dumps(operation.method)},"
    yield f"      path: {json.dumps(operation.path)},"
    yield f"      inPath: {json.dumps(places['path'])},"
    yield f"      inQuery: {json.dumps(places['query'])},"
    yield f"      hasBody: {json.dumps(operation.has_body)},"
    yield f"      ofSubject: {json.dumps(operation.of_subject)},"
    yield f"      takesKey: {json.dumps(operation.has_key)},"
    yield f"    }}, {passed}, options);"
    yield "  }"
    yield ""
    if operation.items:
        items, schema = operation.items
        item = expression(schema, TYPESCRIPT_WORDS)
        yield f"  /** Every item of `{name}`, page after page; `limit` is that of one page. */"
        yield f"  async *every{name[0].upper()}{name[1:]}("
        omitted = "" if any(field.required for field in operation.fields) else " = {}"
        yield f'    input: Omit<{takes}, "cursor">{omitted}, options: CallOptions = {{}},'
        yield f"  ): AsyncGenerator<{item}, void, undefined> {{"
        yield "    let cursor: string | null | undefined;"
        yield "    do {"
        yield f"      const page: {answer} = await this.{name}(cursor == null ? input : {{ ...input, cursor }}, options);"
        yield f"      yield* page.{items};"
        yield "      cursor = page.next;"
        yield "    } while (cursor != null);"
        yield "  }"
        yield ""


def typescript(document):
    yield f"// {IMPORTANT}"
    yield ""
    yield 'import type { CallOptions, Place } from "./call.js";'
    yield ""
    for name, schema in document["components"]["schemas"].items():
        yield from typescript_type(name, schema)
    for operation in operations(document):
        if operation.fields:
            name = camel(operation.name)
            yield f"/** What `{name}` takes. */"
            yield f"export interface {name[0].upper()}{name[1:]}Asked {{"
            fields = [(field.name, {**field.schema, "description": field.description or ""}) for field in operation.fields]
            yield from typescript_fields(fields, [field.name for field in operation.fields if field.required])
            yield "}"
            yield ""
    yield "/** Every operation of the interface. */"
    yield "export abstract class Operations {"
    yield "  /** Sends a call and reads its answer. */"
    yield "  protected abstract ask<Answer>(place: Place, input: object, options: CallOptions): Promise<Answer>;"
    yield ""
    yield "  /** Sends a call and reads its answer piece by piece. */"
    yield "  protected abstract pieces<Piece>("
    yield "    place: Place, input: object, options: CallOptions,"
    yield "  ): AsyncGenerator<Piece, void, undefined>;"
    yield ""
    for operation in operations(document):
        yield from typescript_method(operation)
    yield "}"


def main():
    document = json.loads(DOCUMENT.read_text())
    written = {
        PYTHON: "\n".join(python(document)).rstrip() + "\n",
        TYPESCRIPT: "\n".join(typescript(document)).rstrip() + "\n",
    }
    stale = [path for path, text in written.items() if not path.exists() or path.read_text() != text]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the document says; run tools/generate_clients.py")
        print(f"generated: {len(written) - len(stale)} of {len(written)} files are fresh")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written[path])
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
