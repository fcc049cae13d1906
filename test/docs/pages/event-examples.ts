import type { AgentEvent } from "../../../src/protocol/events.ts";

type Raw<Type extends AgentEvent["type"]> = Record<string, unknown> & { type: Type };

const at = "2026-11-15T09:00:00.000Z";
const member = "alice";
const id = "019b78c9-1e08-7bbf-81b3-5fecccfcfc55";
const call_id = "call_12a2a919dc6a8e033e77651d";
const usage = {
  input_tokens: 812,
  output_tokens: 96,
  cache_read_tokens: 10_240,
  cache_write_tokens: 0,
};

/** One line of each type, as `--output stream-json` prints it. The schema is asked whether it is one. */
export const eventExamples: { readonly [Type in AgentEvent["type"]]: Raw<Type> } = {
  "member-change": {
    type: "member-change",
    member,
    status: "working",
    detail: "waiting for approval",
    at,
  },
  "message-sent": {
    type: "message-sent",
    member: "lead",
    id,
    message_type: "message",
    to: member,
    preview: "Run the tests.",
    at,
  },
  "message-delivered": { type: "message-delivered", id, at, member },
  "message-returned": { type: "message-returned", member, id, at },
  "message-withdrawn": { type: "message-withdrawn", member, id, at },
  "line-set-aside": {
    type: "line-set-aside",
    at,
    member,
    id: "hand-1-2048",
    reason: "claims to be a shutdown_request and is not signed",
  },
  "task-change": { type: "task-change", id: "1", status: "in_progress", member, at },
  "landing-change": {
    type: "landing-change",
    member,
    id: "3",
    state: "conflict",
    target: "troupe/default",
    at,
  },
  "rule-change": {
    type: "rule-change",
    decision: "allow",
    rule: "bash(npm test:*)",
    change: "added",
    at,
  },
  "mode-change": { type: "mode-change", member, mode: "plan", at },
  rewind: { type: "rewind", id, conversation: true, files: ["src/app.ts"], at },
  "request-change": {
    type: "request-change",
    member,
    id,
    request_type: "permission",
    state: "pending",
    at,
  },
  "run-start": { type: "run-start", at, member },
  "turn-start": { type: "turn-start", turn: 1, at, member },
  "text-delta": { type: "text-delta", text: "I run the tests.", at, member },
  "thinking-delta": { type: "thinking-delta", text: "The test is new.", at, member },
  "reply-restart": {
    type: "reply-restart",
    reason: "the connection broke off in the middle of the answer",
    at,
    member,
  },
  "model-change": {
    type: "model-change",
    from: "anthropic/claude-opus-5-5",
    to: "openai/gpt-6-sol",
    reason: "the provider is overloaded and asks for a pause",
    at,
    member,
  },
  "model-set": { type: "model-set", model: "openai/gpt-6-sol", effort: "high", at, member },
  "model-wait": { type: "model-wait", reason: "rate limit", delay_ms: 2000, at, member },
  "tool-call": {
    type: "tool-call",
    call_id,
    name: "bash",
    input: { command: "npm test" },
    at,
    member,
  },
  "tool-output": { type: "tool-output", call_id, text: "1 passing\n", at, member },
  "tool-result": {
    type: "tool-result",
    call_id,
    output: "1 passing",
    is_error: false,
    at,
    member,
  },
  hook: {
    type: "hook",
    event: "PreToolUse",
    command: "scripts/no-force-push.sh",
    outcome: "blocked",
    message: "Push without --force.",
    call_id,
    at,
    member,
  },
  "model-call": {
    type: "model-call",
    model: "anthropic/claude-sonnet-5",
    duration_ms: 2140,
    usage: { ...usage, cost_usd: 0.0061 },
    at,
    member,
  },
  "turn-end": { type: "turn-end", turn: 1, usage, at, member },
  "compaction-start": { type: "compaction-start", context_tokens: 160_000, at, member },
  "compaction-end": {
    type: "compaction-end",
    summary: "The tests pass; the notes are still to be written.",
    context_tokens: 6_200,
    at,
    member,
  },
  clear: { type: "clear", at, member, context_tokens: 160_000 },
  "run-end": { type: "run-end", outcome: "turn-limit", reason: "after 200 turns", at, member },
  warning: {
    type: "warning",
    message: "3 events could not be stored and are missing here",
    hint: "Check that the disk has space. Messages, tasks and transcripts are not affected.",
    at,
  },
};
