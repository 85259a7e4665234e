/** Anything that this client throws. */
export class TestimonyError extends Error {
  override name = "TestimonyError";
}

/** No answer came, or none that this server writes; whether a call without a key was done is not known. */
export class Unreachable extends TestimonyError {
  override name = "Unreachable";
}

/** The server refused, as RFC 9457 has it. */
export class Problem extends TestimonyError {
  override name = "Problem";

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** A stable word for programs, such as `not_found`. */
    readonly code: string,
    /** What is wrong. */
    readonly detail: string,
    /** What to do. */
    readonly hint: string | undefined,
    /** After how many seconds it may be tried again. */
    readonly retryAfter: number | undefined,
  ) {
    super(`${code}: ${detail}${hint === undefined ? "" : ` (hint: ${hint})`}`);
  }
}
