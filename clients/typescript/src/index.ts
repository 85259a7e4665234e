/** The client of Testimony: memory for AI agents that can be cross-examined. */

export type { CallOptions } from "./call.js";
export { Client, type ClientOptions } from "./client.js";
export * from "./generated.js";
export { Problem, TestimonyError, Unreachable } from "./problem.js";
