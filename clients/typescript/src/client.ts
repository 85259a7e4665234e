import { type CallOptions, lines, lost, type Next, piece, type Place, read, request } from "./call.js";
import { Operations } from "./generated.js";
import { Problem, Unreachable } from "./problem.js";

/** Where the server is and as whom it is asked. */
export interface ClientOptions {
  /** Where the server listens; the address `testimony serve` takes by itself, when left out. */
  url?: string;
  /** What `testimony access create` printed. */
  apiKey?: string;
  /** Whose memory is meant, unless a call names another; the key's own, when left out. */
  subject?: string;
  /** Milliseconds one attempt may take. */
  timeout?: number;
  /** How often a call is sent again that found no room, no time or no connection, and does no harm twice. */
  repetitions?: number;
  /** What sends; the platform's own, when left out. */
  fetch?: typeof fetch;
}

/** A client of one server. Each operation of the interface is a method. */
export class Client extends Operations {
  readonly url: string;
  readonly subject: string | undefined;
  readonly #apiKey: string | undefined;
  readonly #timeout: number;
  readonly #repetitions: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions = {}) {
    super();
    this.url = options.url ?? "http://127.0.0.1:7171";
    this.subject = options.subject;
    this.#apiKey = options.apiKey;
    this.#timeout = options.timeout ?? 35_000;
    this.#repetitions = options.repetitions ?? 4;
    this.#fetch = options.fetch ?? fetch;
  }

  protected override async ask<Answer>(place: Place, input: object, options: CallOptions): Promise<Answer> {
    const { answer } = await this.#answered(place, input, options, (response, attempt) =>
      this.#whole(place, response, attempt));
    return answer as Answer;
  }

  protected override async *pieces<Piece>(
    place: Place, input: object, options: CallOptions,
  ): AsyncGenerator<Piece, void, undefined> {
    const { answer, patience } = await this.#answered(place, input, options, async (response, attempt) =>
      response.ok ? { answer: response.body } : this.#whole(place, response, attempt));
    const decoder = new TextDecoder();
    async function* texts(): AsyncGenerator<string, void, undefined> {
      patience.begin();
      for await (const chunk of answer as AsyncIterable<Uint8Array>) {
        // What the reader does with a piece takes the time it takes.
        patience.end();
        yield decoder.decode(chunk, { stream: true });
        patience.begin();
      }
    }
    try {
      for await (const line of lines(texts())) yield piece(line) as Piece;
    } catch (error) {
      options.signal?.throwIfAborted();
      // It is never asked for again by itself: some of it is used already.
      throw error instanceof Problem ? error : new Unreachable("the answer was cut off", { cause: error });
    } finally {
      patience.end();
    }
  }

  /** What follows an answer that is read to its end. */
  async #whole(place: Place, response: Response, attempt: number): Promise<Next> {
    const told = {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      text: await response.text(),
    };
    return read(place, told, attempt, this.#repetitions);
  }

  /** Sends a call until `settle` finds an answer or nothing more can be tried; its patience may be begun anew. */
  async #answered(
    place: Place,
    input: object,
    options: CallOptions,
    settle: (response: Response, attempt: number) => Promise<Next>,
  ): Promise<{ answer: unknown; patience: Patience }> {
    const client = { url: this.url, apiKey: this.#apiKey, subject: this.subject };
    const sent = request(place, { ...input }, client, options);
    for (let attempt = 0; ; attempt += 1) {
      options.signal?.throwIfAborted();
      const patience = new Patience(options.timeout ?? this.#timeout);
      const signal = options.signal === undefined ? patience.signal : AbortSignal.any([patience.signal, options.signal]);
      let next: Next;
      try {
        next = await settle(await this.#fetch(sent.url, { ...sent, signal, redirect: "manual" }), attempt);
        if ("answer" in next) return { answer: next.answer, patience };
      } catch (error) {
        options.signal?.throwIfAborted();
        if (error instanceof Problem || error instanceof Unreachable) throw error;
        next = lost(place, error, attempt, this.#repetitions) as { wait: number };
      } finally {
        patience.end();
      }
      await sleep(next.wait, options.signal);
    }
  }
}

/** Ends what it is given to after so many milliseconds without an end or a new beginning. */
class Patience {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    this.begin();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(): void {
    clearTimeout(this.#timer);
    const late = new DOMException("no answer in time", "TimeoutError");
    this.#timer = setTimeout(() => this.#controller.abort(late), this.#milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}
