"""The tools that a model is given, in OpenAI's and in Anthropic's format, and what is done when it calls one.

    reply = openai.chat.completions.create(model=…, messages=messages, tools=openai_tools())
    for call in reply.choices[0].message.tool_calls or []:
        result = dispatch(client, call.function.name, call.function.arguments)

What a model says is not the owner's word: `remember` keeps what the owner said, exactly, and the server refuses
what the words do not carry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._client import AsyncClient, Client
from ._errors import Problem

_TOOLS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "remember": (
        "Keep something the user said, word for word. Call it when the user states a lasting fact or preference, or asks to have "
        "something remembered. Never put your own words here.",
        {
            "text": {"type": "string", "description": "The user's own words, exactly."},
            "kind": {
                "type": "string",
                "enum": ["fact", "preference"],
                "description": "`preference` where they say how the user wants to be answered.",
            },
        },
        ["text"],
    ),
    "recall": (
        "What is remembered of the user that bears on a question. Contradictions come together; tell the user of them.",
        {
            "query": {"type": "string", "description": "The question, in words."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "Memories, at most."},
        },
        ["query"],
    ),
    "why": (
        "The exact words behind a memory, with who said them and when.",
        {"id": {"type": "string", "description": "The id of a memory, as `recall` gave it."}},
        ["id"],
    ),
    "correct": (
        "Put the user's new words in the place of a memory that is wrong. The old ones stay in its history.",
        {
            "id": {"type": "string", "description": "The id of the memory."},
            "text": {"type": "string", "description": "What is right, in the user's own words."},
        },
        ["id", "text"],
    ),
    "forget": (
        "Erase memories for good, because the user asked for it. Ask the user before you call this.",
        {"ids": {"type": "array", "items": {"type": "string"}, "description": "The ids of the memories."}},
        ["ids"],
    ),
}


def names() -> list[str]:
    """The names of the tools; they are those of the operations."""
    return list(_TOOLS)


def openai_tools() -> list[dict[str, Any]]:
    """The tools as OpenAI's chat completions take them."""
    return [
        {"type": "function", "function": {"name": name, "description": description, "parameters": _schema(fields, needed)}}
        for name, (description, fields, needed) in _TOOLS.items()
    ]


def anthropic_tools() -> list[dict[str, Any]]:
    """The tools as Anthropic's messages take them."""
    return [
        {"name": name, "description": description, "input_schema": _schema(fields, needed)}
        for name, (description, fields, needed) in _TOOLS.items()
    ]


def _schema(fields: dict[str, Any], needed: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": needed, "additionalProperties": False}


def dispatch(
    client: Client, name: str, arguments: str | Mapping[str, Any], *, subject: str | None = None
) -> str:
    """Does what a model asked for and answers JSON for it. What goes wrong is told to the model, so that it can do better."""
    try:
        given = _arguments(name, arguments)
        return json.dumps(getattr(client, name)(**given, subject=subject), ensure_ascii=False)
    except Problem as problem:
        return _told(problem)
    except ValueError as error:
        return json.dumps({"code": "bad_arguments", "detail": str(error)})


async def adispatch(
    client: AsyncClient, name: str, arguments: str | Mapping[str, Any], *, subject: str | None = None
) -> str:
    """The same without blocking."""
    try:
        given = _arguments(name, arguments)
        return json.dumps(await getattr(client, name)(**given, subject=subject), ensure_ascii=False)
    except Problem as problem:
        return _told(problem)
    except ValueError as error:
        return json.dumps({"code": "bad_arguments", "detail": str(error)})


def _arguments(name: str, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
    """What a model gave, checked: it may name no other operation of the client and no field that the tool does not have."""
    if name not in _TOOLS:
        raise ValueError(f"there is no tool `{name}`")
    _, fields, needed = _TOOLS[name]
    given = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
    if not isinstance(given, dict):
        raise ValueError("the arguments are no object")
    if unknown := given.keys() - fields.keys():
        raise ValueError(f"`{name}` has no `{min(unknown)}`")
    if missing := [field for field in needed if field not in given]:
        raise ValueError(f"`{name}` needs `{missing[0]}`")
    return given


def _told(problem: Problem) -> str:
    told = {"code": problem.code, "detail": problem.detail, "hint": problem.hint}
    return json.dumps({name: value for name, value in told.items() if value is not None}, ensure_ascii=False)
