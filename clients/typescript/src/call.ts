// Calls before they are sent and answers after they came. Nothing here sends, waits or looks at a clock.

import { Problem, Unreachable } from "./problem.js";

/** Where an operation is, and what of its input goes where. What is neither in the path nor in the query goes into the body. */
export interface Place {
  method: string;
  path: string;
  inPath: readonly string[];
  inQuery: readonly string[];
  hasBody: boolean;
  ofSubject: boolean;
  takesKey: boolean;
}

/** What a call may say beside its input. */
export interface CallOptions {
  /** Whose memory is meant; what the client was made for, when left out. */
  subject?: string;
  /** The key of this call, where the operation takes one; one is made, when left out. */
  idempotencyKey?: string;
  /** Milliseconds one attempt may take; the client's own, when left out. */
  timeout?: number;
  /** Ends the call and its repetitions. */
  signal?: AbortSignal;
}

/** What is sent, each time the call is. */
export interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** What follows an answer: its value, or another attempt after so many milliseconds. */
export type Next = { answer: unknown } | { wait: number };

/** The longest pause before a call is repeated, in milliseconds, whatever the server asks for. */
export const WAIT_MAX = 30_000;

/** The request of a call. The key of a write is drawn here, once, so that every repetition bears the same. */
export function request(
  place: Place,
  input: Record<string, unknown>,
  client: { url: string; apiKey: string | undefined; subject: string | undefined },
  options: CallOptions,
): Sent {
  let path = place.path;
  for (const name of place.inPath) {
    path = path.replace(`{${name}}`, encodeURIComponent(String(input[name])));
  }
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null || place.inPath.includes(name)) continue;
    if (place.inQuery.includes(name)) query.set(name, String(value));
    else body[name] = value;
  }
  const headers: Record<string, string> = { accept: "application/json, application/x-ndjson" };
  if (client.apiKey !== undefined) headers["authorization"] = `Bearer ${client.apiKey}`;
  const subject = options.subject ?? client.subject;
  if (place.ofSubject && subject !== undefined) headers["testimony-subject"] = encodeURIComponent(subject);
  if (place.takesKey) headers["idempotency-key"] = options.idempotencyKey ?? crypto.randomUUID();
  const written = query.toString();
  const url = client.url.replace(/\/+$/, "") + path + (written === "" ? "" : `?${written}`);
  if (!place.hasBody) return { url, method: place.method, headers };
  headers["content-type"] = "application/json";
  return { url, method: place.method, headers, body: JSON.stringify(body) };
}

/** Whether doing it twice is doing it once. */
export function isRepeatable(place: Place): boolean {
  return place.takesKey || place.method === "GET" || place.method === "DELETE";
}

/** What follows an answer. `attempt` counts from 0. */
export function read(
  place: Place,
  response: { status: number; retryAfter: string | null; text: string },
  attempt: number,
  repetitions: number,
): Next {
  const { status } = response;
  let told: unknown;
  try {
    told = JSON.parse(response.text);
  } catch {
    told = undefined;
  }
  if (status >= 200 && status < 300 && told !== undefined) return { answer: told };
  if (typeof told !== "object" || told === null || !("code" in told)) {
    throw new Unreachable(`status ${status}, and no answer of Testimony's`);
  }
  const problem = told as Told;
  const { code } = problem;
  const seconds = response.retryAfter === null ? Number.NaN : Number(response.retryAfter);
  const retryAfter = Number.isNaN(seconds) ? undefined : seconds;
  // With these nothing was done; with others of 503 a write may have been.
  const nothingDone = status === 429 || code === "overloaded" || code === "closing";
  if (attempt < repetitions && (nothingDone || (status === 503 && isRepeatable(place)))) {
    return { wait: pause(attempt, retryAfter) };
  }
  throw new Problem(status, code, problem.detail ?? "", problem.hint, retryAfter);
}

/** A refusal as the server writes it. */
interface Told {
  code: string;
  detail?: string;
  hint?: string;
}

/** A piece of an answer that comes piece by piece. The last may say that the rest was refused. */
export function piece(line: string): unknown {
  const told: unknown = JSON.parse(line);
  if (typeof told === "object" && told !== null && "refused" in told && Object.keys(told).length === 1) {
    const { status, code, detail, hint } = told.refused as Told & { status: number };
    throw new Problem(status, code, detail ?? "", hint, undefined);
  }
  return told;
}

/** The lines of a text that comes in chunks, the last one also without its end. */
export async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const chunk of chunks) {
    const whole = (rest + chunk).split("\n");
    rest = whole.pop() ?? "";
    yield* whole;
  }
  if (rest !== "") yield rest;
}

/** What follows a connection that broke: another attempt, where that does no harm. */
export function lost(place: Place, error: unknown, attempt: number, repetitions: number): Next {
  if (attempt < repetitions && isRepeatable(place)) return { wait: pause(attempt, undefined) };
  throw new Unreachable("no answer", { cause: error });
}

/** Milliseconds before the next attempt: what the server asks for, else longer each time, and never the same for all clients. */
export function pause(attempt: number, retryAfter: number | undefined): number {
  const least = retryAfter === undefined ? 200 * 2 ** attempt : retryAfter * 1000;
  return Math.min(least + Math.random() * 100 * (attempt + 1), WAIT_MAX);
}
