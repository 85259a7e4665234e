"""A LangGraph store on Testimony.

    store = TestimonyStore(Client(subject="ana"))
    store.put(("notes", "work"), "monday", {"text": "call the bank"})

One rule for names: the client's subject is whose memory it is, a namespace is a source of the kind `langgraph` whose name is its
labels with dots between, and a key is a session of it. With `subject_label=N` the label at that place of every namespace names the
subject instead, so that one store serves many people and none can read another's.

Every `put` is a message, so what a key held before is still in the log; `delete` forgets all of it. Values are what a program
stores and not what a person said: they are never the word of the owner.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from ._client import AsyncClient, Client
from ._errors import NotFound, TestimonyError

KIND = "langgraph"
"""The kind of the sources that namespaces are."""

_PAGE = 1000


class TestimonyStore(BaseStore):
    """A store for LangGraph's long-term memory.

    `query` of a search is recall over the stored values: words and, where the server has a model, meaning. What does not match is
    not answered, and every match has a score that compares only within one answer. There is no time to live.
    """

    __test__ = False
    __slots__ = ("_client", "_async_client", "_subject_label")

    def __init__(
        self,
        client: Client | None = None,
        async_client: AsyncClient | None = None,
        *,
        subject_label: int | None = None,
    ) -> None:
        """A store over a client, or over both kinds. Without `async_client` the asynchronous methods use a thread; without `client`
        there are only those.

        subject_label: The place of the label that names the subject, from 0; the client's own subject, when left out.
        """
        if client is None and async_client is None:
            client = Client()
        self._client, self._async_client, self._subject_label = client, async_client, subject_label

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Does several operations. Reads see the state before the batch; of several writes to one key the last counts."""
        done: list[Result] = []
        writes: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, GetOp):
                done.append(self._newest(op.namespace, op.key))
            elif isinstance(op, SearchOp):
                done.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                done.append(self._namespaces(op))
            elif isinstance(op, PutOp):
                writes[op.namespace, op.key] = op
                done.append(None)
            else:
                raise ValueError(f"Unknown operation type: {type(op)}")
        for op in writes.values():
            self._put(op)
        return done

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same without blocking."""
        if self._async_client is None:
            return await asyncio.to_thread(self.batch, list(ops))
        # The rule of each operation is written once, over a client that blocks; here each of its calls is awaited on the loop.
        loop = asyncio.get_running_loop()
        bridge = TestimonyStore(_Bridge(self._async_client, loop), subject_label=self._subject_label)  # type: ignore[arg-type]
        return await asyncio.to_thread(bridge.batch, list(ops))

    @property
    def _blocking(self) -> Client:
        if self._client is None:
            raise RuntimeError("this store was made without a client that blocks; await its `a…` methods")
        return self._client

    def _subject(self, namespace: tuple[str, ...]) -> str | None:
        if self._subject_label is None:
            return None
        if len(namespace) <= self._subject_label:
            place = self._subject_label
            raise ValueError(f"the label at place {place} names the subject, and {namespace!r} has none there")
        return namespace[self._subject_label]

    def _newest(self, namespace: tuple[str, ...], key: str) -> Item | None:
        try:
            page = self._blocking.messages(
                source=_source(namespace), session=key, limit=1, subject=self._subject(namespace)
            )
        except NotFound:
            return None
        return _Record.read(page["messages"][0]).item() if page["messages"] else None

    def _put(self, op: PutOp) -> None:
        subject = self._subject(op.namespace)
        before = self._newest(op.namespace, op.key)
        if op.value is None:
            if before is not None:
                self._blocking.forget(source=_source(op.namespace), session=op.key, subject=subject)
            return
        now = datetime.now(timezone.utc)
        record = {
            "value": dict(op.value),
            "created_at": (before.created_at if before else now).isoformat(),
            "updated_at": now.isoformat(),
        }
        text = json.dumps(record, ensure_ascii=False)
        message = {
            "source": {"kind": KIND, "ref": ".".join(op.namespace), "fidelity": "derived_projection"},
            "session": op.key,
            "author": "external",
            "author_name": KIND,
            "event_time": now.isoformat(),
            "text": text,
            "proposals": [],
        }
        self._blocking.observe([message], subject=subject)  # type: ignore[list-item]

    def _records(self, subject: str | None) -> Iterator[tuple[str, _Record]]:
        """The newest of every key of a subject, with the id of its message, the newest first."""
        seen: set[tuple[tuple[str, ...], str]] = set()
        for message in self._blocking.every_messages(kind=KIND, limit=_PAGE, subject=subject):
            record = _Record.read(message)
            if (record.namespace, record.key) not in seen:
                seen.add((record.namespace, record.key))
                yield message["evidence"], record

    def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix, wanted = op.namespace_prefix, op.filter or {}
        found = [
            (evidence, record)
            for evidence, record in self._records(self._subject(prefix))
            if record.namespace[: len(prefix)] == prefix
            and all(_is(record.value.get(name), bound) for name, bound in wanted.items())
        ]
        scores: dict[str, float] = {}
        if op.query:
            recalled = self._blocking.recall(
                op.query, grain="evidence", limit=_PAGE, subject=self._subject(prefix)
            )
            scores = {item["id"]: item["score"] for item in recalled["items"]}
            found = [(evidence, record) for evidence, record in found if evidence in scores]
            found.sort(key=lambda one: -scores[one[0]])
        page = found[op.offset : op.offset + op.limit]
        return [record.search_item(scores.get(evidence)) for evidence, record in page]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        prefix = next((one.path for one in conditions if one.match_type == "prefix"), ())
        # Under a label that names the subject, somebody must be named.
        found = {record.namespace for _, record in self._records(self._subject(tuple(prefix)))}
        matching = {one for one in found if all(_matches(condition, one) for condition in conditions)}
        if op.max_depth is not None:
            matching = {one[: op.max_depth] for one in matching}
        return sorted(matching)[op.offset : op.offset + op.limit]


class _Bridge:
    """A client that blocks its thread while another's calls are awaited on a loop."""

    def __init__(self, client: AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
        self._client, self._loop = client, loop

    def _wait(self, name: str, *given: Any, **named: Any) -> Any:
        called = getattr(self._client, name)(*given, **named)
        return asyncio.run_coroutine_threadsafe(called, self._loop).result()

    def messages(self, **named: Any) -> Any:
        return self._wait("messages", **named)

    def observe(self, messages: Any, **named: Any) -> Any:
        return self._wait("observe", messages, **named)

    def recall(self, query: str, **named: Any) -> Any:
        return self._wait("recall", query, **named)

    def forget(self, **named: Any) -> Any:
        return self._wait("forget", **named)

    def every_messages(self, **named: Any) -> Iterator[Any]:
        pages: AsyncIterator[Any] = self._client.every_messages(**named)
        while True:
            try:
                yield asyncio.run_coroutine_threadsafe(anext(pages), self._loop).result()  # type: ignore[arg-type]
            except StopAsyncIteration:
                return


class _Record:
    """What one message holds of one key."""

    def __init__(
        self, namespace: tuple[str, ...], key: str, value: dict[str, Any], created_at: str, updated_at: str
    ) -> None:
        self.namespace, self.key, self.value = namespace, key, value
        self.created_at, self.updated_at = created_at, updated_at

    @classmethod
    def read(cls, message: Mapping[str, Any]) -> _Record:
        """Reads a message of this store.

        Raises TestimonyError where its text is not whole: the server withholds what looks like a secret.
        """
        try:
            told = json.loads(message["text"])
            namespace = tuple(message["source"]["ref"].split("."))
            return cls(namespace, message["session"], told["value"], told["created_at"], told["updated_at"])
        except (KeyError, TypeError, ValueError) as error:
            raise TestimonyError(
                f"message {message.get('evidence')} of a `{KIND}` source cannot be read as a value; "
                "what looks like a secret is withheld by the server and cannot be stored so"
            ) from error

    def item(self) -> Item:
        return Item(
            value=self.value,
            key=self.key,
            namespace=self.namespace,
            created_at=datetime.fromisoformat(self.created_at),
            updated_at=datetime.fromisoformat(self.updated_at),
        )

    def search_item(self, score: float | None) -> SearchItem:
        one = self.item()
        return SearchItem(one.namespace, one.key, one.value, one.created_at, one.updated_at, score)


def _source(namespace: tuple[str, ...]) -> str:
    return f"{KIND}:{'.'.join(namespace)}"


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def _is(value: Any, wanted: Any) -> bool:
    """Whether a value is what a filter asks for: equal, or passing every operator."""
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(_passes(value, operator, bound) for operator, bound in wanted.items())
        return isinstance(value, dict) and all(_is(value.get(name), inner) for name, inner in wanted.items())
    if isinstance(wanted, (list, tuple)):
        same_length = isinstance(value, (list, tuple)) and len(value) == len(wanted)
        return same_length and all(_is(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _passes(value: Any, operator: str, bound: Any) -> bool:
    if operator == "$eq":
        return bool(value == bound)
    if operator == "$ne":
        return bool(value != bound)
    order = {"$gt": 1, "$gte": 1, "$lt": -1, "$lte": -1}.get(operator)
    if order is None:
        raise ValueError(f"Unsupported operator: {operator}")
    if value is None:
        return False
    if isinstance(value, str) and isinstance(bound, str):
        same, beside = value == bound, (value > bound) - (value < bound)
    else:
        same, beside = float(value) == float(bound), (float(value) > float(bound)) - (float(value) < float(bound))
    return beside == order or (same and operator.endswith("e"))
