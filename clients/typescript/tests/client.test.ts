import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Client, Problem, Unreachable } from "../src/index.js";
import { pause, WAIT_MAX } from "../src/call.js";
import type { Message, Problem as ProblemTold } from "../src/generated.js";

const { TESTIMONY_URL: url, TESTIMONY_KEY: apiKey } = process.env;
assert.ok(url !== undefined && apiKey !== undefined, "start a server and say where it is; tools/clients.sh does");

const fresh = (): Client => new Client({ url, apiKey, subject: `typescript ${crypto.randomUUID()}` });

async function refusal(call: Promise<unknown>): Promise<Problem> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error;
  }
  return assert.fail("it was not refused");
}

test("a memory lives from first words to receipt and end", async () => {
  const client = fresh();
  const kept = await client.remember({ text: "I am allergic to walnuts" });
  assert.ok(kept.counts.admitted >= 1);
  const [item] = (await client.recall({ query: "walnuts", limit: 1 })).items;
  assert.ok(item !== undefined);
  const why = await client.why({ id: item.id });
  assert.equal(why.claims[0]?.quote, "I am allergic to walnuts");
  const turn = await client.turn({ message: "What must not be in the cake? I have an allergy." });
  assert.ok((await client.replay({ id: turn.turn })).identical);
  assert.equal((await client.correct({ id: item.id, text: "I am allergic to hazelnuts" })).corrected, item.id);
  assert.match(JSON.stringify(await client.list({ kind: "all" })), /hazelnuts/);
  assert.equal((await client.whoami()).subject, client.subject);
  const forgotten = await client.forget({ ids: [item.id] });
  assert.equal(forgotten.residue, 0);
  assert.ok(forgotten.receipt != null && (await client.checkReceipt({ receipt: forgotten.receipt })).ok);
  assert.equal((await refusal(client.why({ id: item.id }))).code, "not_found");
});

test("a refusal says code and hint", async () => {
  const refused = await refusal(fresh().forget());
  assert.deepEqual([refused.status, refused.code], [422, "bad_input"]);
  assert.match(refused.hint ?? "", /everything/);
  const unknown = await refusal(new Client({ url, apiKey: "testimony_nothing" }).profile());
  assert.deepEqual([unknown.status, unknown.code], [401, "no_valid_key"]);
});

test("a write sent twice is done once", async () => {
  const client = fresh();
  const options = { idempotencyKey: "spare" };
  const first = await client.remember({ text: "The spare key hangs in the shed" }, options);
  const again = await client.remember({ text: "The spare key hangs in the shed" }, options);
  assert.deepEqual([again.evidence, again.watermark], [first.evidence, first.watermark]);
});

test("pages are walked to their end, and subjects are apart", async () => {
  const client = fresh();
  const source = { kind: "chat", ref: "pages" };
  const texts = Array.from({ length: 25 }, (_, number) => `Note number ${number}.`);
  await client.observe({ messages: texts.map((text) => ({ source, author: "owner", text })) });
  const seen: Array<string | undefined | null> = [];
  for await (const message of client.everyMessages({ source: "chat:pages", limit: 10 })) seen.push(message.text);
  assert.deepEqual(seen, texts.toReversed());
  const other = await client.messages({}, { subject: `${client.subject} Čačak 東京 100%` });
  assert.deepEqual(other.messages, []);
});

test("every operation has a method", () => {
  const path = process.env["TESTIMONY_DOCUMENT"] ?? new URL("../../../../docs/reference/openapi.json", import.meta.url);
  const document = JSON.parse(readFileSync(path, "utf8")) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const told = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const names = told.map((operation) => operation.operationId);
  assert.ok(names.length > 30);
  for (const name of names) {
    const method = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    assert.equal(typeof (Client.prototype as unknown as Record<string, unknown>)[method], "function", method);
  }
});

test("a memory moves to another piece by piece", async () => {
  const [client, other] = [fresh(), fresh()];
  const source = { kind: "chat", ref: "moving" };
  const texts = Array.from({ length: 40 }, (_, number) => `Box ${number} holds the plates of Čačak.`);
  const told = [];
  for await (const piece of client.import({ messages: texts.map((text) => ({ source, author: "owner", text })) })) told.push(piece);
  assert.equal(told.at(-1)?.taken?.messages, 40);
  const lines = [];
  for await (const line of client.export()) lines.push(line as unknown as Message);
  assert.deepEqual(lines.map((line) => line.text).toSorted(), texts.toSorted());
  for await (const piece of other.import({ messages: lines })) assert.equal(piece.messages, 40);
  const again = [];
  for await (const line of other.export()) again.push((line as unknown as Message).text);
  assert.deepEqual(again, lines.map((line) => line.text));
  const unknown = new Client({ url, apiKey: "testimony_nothing" }).export();
  assert.equal((await refusal(unknown.next())).code, "no_valid_key");
});

/** A server that answers one thing after the other, and keeps what it was asked. */
function script(...answers: Array<Response | Error>): { client: Client; asked: Array<Headers> } {
  const asked: Array<Headers> = [];
  const send = async (_: unknown, init?: RequestInit): Promise<Response> => {
    asked.push(new Headers(init?.headers));
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("nothing is left to answer");
    return answer;
  };
  return { client: new Client({ url: "http://server", apiKey: "testimony_x", fetch: send as typeof fetch }), asked };
}

function refuse(status: number, code: string, headers: Record<string, string> = {}): Response {
  const told: ProblemTold = { type: "urn:testimony:problem", title: "Refused", status, code, detail: "no" };
  return new Response(JSON.stringify(told), { status, headers });
}

const done = (): Response => new Response('{"evidence": "ev_1"}');

test("a call that found no room is sent again with the same key", async () => {
  const { client, asked } = script(refuse(429, "too_many_calls", { "retry-after": "0" }), refuse(503, "deadline"), new Error("gone"), done());
  assert.deepEqual(await client.remember({ text: "I like tea" }), { evidence: "ev_1" });
  const keys = new Set(asked.map((headers) => headers.get("idempotency-key")));
  assert.equal(asked.length, 4);
  assert.equal(keys.size, 1);
  assert.ok(!keys.has(null));
});

test("a call that may be done and has no key is not sent again", async () => {
  const late = script(refuse(503, "deadline"));
  assert.equal((await refusal(late.client.correct({ id: "ve_1", text: "I like coffee" }))).code, "deadline");
  const gone = script(new Error("gone"));
  await assert.rejects(gone.client.correct({ id: "ve_1", text: "I like coffee" }), Unreachable);
  const full = script(refuse(503, "overloaded", { "retry-after": "0" }), done());
  await full.client.correct({ id: "ve_1", text: "I like coffee" });
  assert.deepEqual([late.asked.length, gone.asked.length, full.asked.length], [1, 1, 2]);
});

test("pieces that break off are no whole answer, and not asked for again", async () => {
  const texts = ['{"text": "one"}\n{"te', 'xt": "two"}\n'];
  const cut = new ReadableStream({
    pull(controller) {
      const text = texts.shift();
      if (text === undefined) controller.error(new Error("cut off"));
      else controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const broken = script(new Response(cut));
  const pieces = broken.client.export();
  assert.deepEqual([(await pieces.next()).value, (await pieces.next()).value], [{ text: "one" }, { text: "two" }]);
  await assert.rejects(pieces.next(), Unreachable);
  assert.equal(broken.asked.length, 1);
  const late = { refused: { status: 503, code: "deadline", detail: "no time", hint: "ask for less" } };
  const refused = script(new Response(`{"text": "one"}\n${JSON.stringify(late)}\n`)).client.export();
  assert.deepEqual((await refused.next()).value, { text: "one" });
  assert.equal((await refusal(refused.next())).code, "deadline");
});

test("a caller may end a call between its attempts", async () => {
  const { client, asked } = script(refuse(503, "overloaded", { "retry-after": "20" }), done());
  await assert.rejects(client.profile({ signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  assert.equal(asked.length, 1);
});

test("what is no answer of the server is told apart, and pauses are bounded", async () => {
  await assert.rejects(script(new Response("<html>", { status: 502 })).client.profile(), Unreachable);
  assert.equal(pause(0, 90), WAIT_MAX);
});

test("a client does not show its key", () => {
  assert.doesNotMatch(JSON.stringify(script().client) + String(script().client), /testimony_x/);
});
