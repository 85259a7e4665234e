"""The two clients: one that blocks and one that does not. What they send and how they read it is the same code."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, Self

import httpx

from ._call import Answer, Call, Request, cut_off, lost, piece, read, request
from ._errors import Unreachable
from ._generated import AsyncOperations, Operations

URL = "http://127.0.0.1:7171"


class _Settings:
    """Where the server is and as whom it is asked."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        subject: str | None = None,
        timeout: float = 35.0,
        repetitions: int = 4,
    ) -> None:
        """A client of the server at `url`.

        url: `TESTIMONY_URL`, else the address `testimony serve` listens on by itself, when left out.
        api_key: What `testimony access create` printed; `TESTIMONY_KEY`, when left out.
        subject: Whose memory is meant, unless a call names another; the key's own, when left out.
        timeout: Seconds one attempt may take.
        repetitions: How often a call is sent again that found no room, no time or no connection, and does no harm twice.
        """
        self.url = url or os.environ.get("TESTIMONY_URL") or URL
        self.api_key = api_key or os.environ.get("TESTIMONY_KEY")
        self.subject, self.timeout, self.repetitions = subject, timeout, repetitions

    def _arguments(self, sent: Request, call: Call) -> dict[str, Any]:
        """A request as httpx takes it."""
        return {
            "method": sent.method,
            "url": sent.url,
            "headers": sent.headers,
            "params": sent.query,
            "content": sent.content,
            "timeout": call.timeout or self.timeout,
        }

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"


class Client(_Settings, Operations):
    """A client that blocks. Safe to share between threads."""

    def __init__(self, *arguments: Any, transport: httpx.BaseTransport | None = None, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._http = httpx.Client(transport=transport, follow_redirects=False)

    def _ask(self, call: Call) -> Any:
        sent = request(call, self.url, self.api_key, self.subject)
        attempt = 0
        while True:
            try:
                response = self._http.request(**self._arguments(sent, call))
                next_step = read(
                    call, response.status_code, response.headers, response.content, attempt, self.repetitions
                )
            except httpx.TransportError as error:
                next_step = lost(call, error, attempt, self.repetitions)
            if isinstance(next_step, Answer):
                return next_step.value
            time.sleep(next_step.seconds)
            attempt += 1

    def _pieces(self, call: Call) -> Iterator[Any]:
        sent = request(call, self.url, self.api_key, self.subject)
        attempt, began = 0, False
        while True:
            try:
                with self._http.stream(**self._arguments(sent, call)) as response:
                    if response.is_success:
                        for line in response.iter_lines():
                            began = True
                            yield piece(line)
                        return
                    content = response.read()
                    next_step = read(
                        call, response.status_code, response.headers, content, attempt, self.repetitions
                    )
            except httpx.TransportError as error:
                if began:
                    raise cut_off(error) from error
                next_step = lost(call, error, attempt, self.repetitions)
            if isinstance(next_step, Answer):
                raise Unreachable("an answer that is not one piece after another")
            time.sleep(next_step.seconds)
            attempt += 1

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(_Settings, AsyncOperations):
    """A client that does not block. Safe to share between the tasks of one event loop."""

    def __init__(
        self, *arguments: Any, transport: httpx.AsyncBaseTransport | None = None, **named: Any
    ) -> None:
        super().__init__(*arguments, **named)
        self._http = httpx.AsyncClient(transport=transport, follow_redirects=False)

    async def _ask(self, call: Call) -> Any:
        sent = request(call, self.url, self.api_key, self.subject)
        attempt = 0
        while True:
            try:
                response = await self._http.request(**self._arguments(sent, call))
                next_step = read(
                    call, response.status_code, response.headers, response.content, attempt, self.repetitions
                )
            except httpx.TransportError as error:
                next_step = lost(call, error, attempt, self.repetitions)
            if isinstance(next_step, Answer):
                return next_step.value
            await asyncio.sleep(next_step.seconds)
            attempt += 1

    async def _pieces(self, call: Call) -> AsyncIterator[Any]:
        sent = request(call, self.url, self.api_key, self.subject)
        attempt, began = 0, False
        while True:
            try:
                async with self._http.stream(**self._arguments(sent, call)) as response:
                    if response.is_success:
                        async for line in response.aiter_lines():
                            began = True
                            yield piece(line)
                        return
                    content = await response.aread()
                    next_step = read(
                        call, response.status_code, response.headers, content, attempt, self.repetitions
                    )
            except httpx.TransportError as error:
                if began:
                    raise cut_off(error) from error
                next_step = lost(call, error, attempt, self.repetitions)
            if isinstance(next_step, Answer):
                raise Unreachable("an answer that is not one piece after another")
            await asyncio.sleep(next_step.seconds)
            attempt += 1

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
