"""Calls before they are sent and answers after they came. Nothing here does input or output or looks at a clock."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_from_bytes

from ._errors import NotFound, Overloaded, Problem, Unreachable

LINES = "application/x-ndjson"
"""The media type of answers that come piece by piece."""

WAIT_SECONDS_MAX = 30.0
"""The longest pause before a call is repeated, whatever the server asks for."""


@dataclass(frozen=True)
class Call:
    """One operation with what it was given. A value of `None` is as good as left out."""

    method: str
    path: str
    path_fields: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    subject: str | None = None
    of_subject: bool = False
    key: str | None = None
    takes_key: bool = False
    timeout: float | None = None

    @property
    def is_repeatable(self) -> bool:
        """Whether doing it twice is doing it once."""
        return self.takes_key or self.method in ("GET", "DELETE")


@dataclass(frozen=True)
class Request:
    """What is sent, each time the call is."""

    method: str
    url: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    content: bytes | None


@dataclass(frozen=True)
class Again:
    """The call is to be sent again, after so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Answer:
    """What the server answered."""

    value: Any


def request(call: Call, url: str, api_key: str | None, subject: str | None) -> Request:
    """The request of a call. The key of a write is drawn here, once, so that every repetition bears the same."""
    path = call.path
    for name, value in call.path_fields.items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    headers = {"accept": f"application/json, {LINES}", "user-agent": "testimony-memory-python/0.1"}
    if api_key is not None:
        headers["authorization"] = f"Bearer {api_key}"
    named = call.subject if call.subject is not None else subject
    if call.of_subject and named is not None:
        headers["testimony-subject"] = quote_from_bytes(named.encode(), safe="")
    if call.takes_key:
        headers["idempotency-key"] = call.key or uuid.uuid4().hex
    content = None
    if call.body is not None:
        given = {name: value for name, value in call.body.items() if value is not None}
        content = json.dumps(given, ensure_ascii=False).encode()
        headers["content-type"] = "application/json"
    query = {name: _in_query(value) for name, value in call.query.items() if value is not None}
    return Request(call.method, url.rstrip("/") + path, headers, query, content)


def _in_query(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read(
    call: Call, status: int, headers: Mapping[str, str], content: bytes, attempt: int, repetitions: int
) -> Answer | Again:
    """What follows an answer: its value, or another attempt. `attempt` counts from 0."""
    try:
        told = json.loads(content) if content else None
    except ValueError:
        told = None
    if 200 <= status < 300 and told is not None:
        return Answer(told)
    if not isinstance(told, dict) or "code" not in told:
        raise Unreachable(f"status {status}, and no answer of Testimony's")
    problem = _problem(status, headers, told)
    # With these nothing was done; with others of 503 a write may have been.
    nothing_done = status == 429 or told["code"] in ("overloaded", "closing")
    if attempt < repetitions and (nothing_done or (status == 503 and call.is_repeatable)):
        return Again(pause(attempt, problem.retry_after))
    raise problem


def piece(line: str) -> Any:
    """A piece of an answer that comes piece by piece. The last may say that the rest was refused."""
    try:
        told = json.loads(line)
    except ValueError as error:
        raise cut_off(error) from error
    if isinstance(told, dict) and told.keys() == {"refused"}:
        refused = told["refused"]
        raise _problem(refused["status"], {}, refused)
    return told


def cut_off(error: Exception) -> Unreachable:
    """What an answer is that ends before its last piece. It is never asked for again by itself: some of it is used already."""
    return Unreachable(f"the answer was cut off: {type(error).__name__}")


def lost(call: Call, error: Exception, attempt: int, repetitions: int) -> Again:
    """What follows a connection that broke: another attempt, where that does no harm."""
    if attempt < repetitions and call.is_repeatable:
        return Again(pause(attempt, None))
    raise Unreachable(f"no answer: {type(error).__name__}") from error


def pause(attempt: int, retry_after: float | None) -> float:
    """Seconds before the next attempt: what the server asks for, else longer each time, and never the same for all clients."""
    least = retry_after if retry_after is not None else 0.2 * 2**attempt
    return min(least + random.uniform(0, 0.1 * (attempt + 1)), WAIT_SECONDS_MAX)


def _problem(status: int, headers: Mapping[str, str], told: dict[str, Any]) -> Problem:
    try:
        retry_after = float(headers["retry-after"])
    except (KeyError, ValueError):
        retry_after = None
    kind = {404: NotFound, 429: Overloaded, 503: Overloaded}.get(status, Problem)
    return kind(status, told["code"], told.get("detail", ""), told.get("hint"), retry_after)
