import { type CallOptions, lost, type Next, type Place, read, request } from "./call.js";
import { Operations } from "./generated.js";

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
    const client = { url: this.url, apiKey: this.#apiKey, subject: this.subject };
    const sent = request(place, { ...input }, client, options);
    for (let attempt = 0; ; attempt += 1) {
      options.signal?.throwIfAborted();
      const late = AbortSignal.timeout(options.timeout ?? this.#timeout);
      const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
      let next: Next;
      let response: { status: number; retryAfter: string | null; text: string } | undefined;
      try {
        const answered = await this.#fetch(sent.url, { ...sent, signal, redirect: "manual" });
        const text = await answered.text();
        response = { status: answered.status, retryAfter: answered.headers.get("retry-after"), text };
      } catch (error) {
        options.signal?.throwIfAborted();
        next = lost(place, error, attempt, this.#repetitions);
      }
      next = response === undefined ? next! : read(place, response, attempt, this.#repetitions);
      if ("answer" in next) return next.answer as Answer;
      await sleep(next.wait, options.signal);
    }
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
