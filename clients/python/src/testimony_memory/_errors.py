"""What goes wrong, by whose turn it is."""

from __future__ import annotations


class TestimonyError(Exception):
    """Anything that this client raises."""

    __test__ = False  # The name is no test's, whatever a collector of tests thinks.


class Unreachable(TestimonyError):
    """No answer came, or none that this server writes; whether a call without a key was done is not known."""


class Problem(TestimonyError):
    """The server refused, as RFC 9457 has it."""

    status: int
    """The HTTP status."""
    code: str
    """A stable word for programs."""
    detail: str
    """What is wrong."""
    hint: str | None
    """What to do."""
    retry_after: float | None
    """After how many seconds it may be tried again."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        hint: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}" + (f" (hint: {hint})" if hint else ""))
        self.status, self.code, self.detail = status, code, detail
        self.hint, self.retry_after = hint, retry_after


class NotFound(Problem):
    """There is nothing of that id that the caller may know of."""


class Overloaded(Problem):
    """The server had no room or no time, or the key asks too often, and repeating did not help."""
