"""The client of Testimony: memory for AI agents that can be cross-examined."""

from . import _generated as types
from ._client import AsyncClient, Client
from ._errors import NotFound, Overloaded, Problem, TestimonyError, Unreachable

__all__ = [
    "AsyncClient",
    "Client",
    "NotFound",
    "Overloaded",
    "Problem",
    "TestimonyError",
    "Unreachable",
    "types",
]
