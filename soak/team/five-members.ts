import type { ReplyBlock } from "../../src/protocol/transcript.ts";
import type { ScriptedAnswer } from "../../src/testing/provider-server/answers.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { isUnknown, type Memory } from "./said-and-done.ts";

export const teammates = ["ada", "bob", "cyd", "dan"] as const;
type Teammate = (typeof teammates)[number];

export const subjects = teammates.map((_, index) => `piece-${index + 1}`);

/** The file to which every command of a teammate appends a line. */
export const logFile = "work.log";

/**
 * What the model of `member` answers. It looks at nothing but the conversation, so that a member
 * that was killed finds its model where it left it.
 */
export function answerOf(member: string, memory: Memory): ScriptedAnswer {
  const teammate = teammates.find((name) => name === member);
  return teammate ? teammatesAnswer(teammate, memory) : leadsAnswer(memory);
}

/** Assigns the work, checks again if the result of a call is unknown, and waits. */
function leadsAnswer(memory: Memory): ScriptedAnswer {
  const unshared = subjects.filter((subject) => !hasResult(memory, "create_task", subject));
  if (unshared.length > 0) {
    const mustLook = memory.calls.length > 0 && !memory.lastCalled.includes("list_tasks");
    if (mustLook) return calls("list_tasks", {});
    return reply(unshared.map((subject) => calls("create_task", { subject })));
  }
  const missing = teammates.filter((name) => !hasResult(memory, "spawn_teammate", name));
  if (missing.length > 0) return reply(missing.map(spawning));
  const hasWaited = memory.calls.some(({ name }) => name === "wait_for_teammates");
  return hasWaited ? says(`lead rests ${memory.replies}`) : calls("wait_for_teammates", {});
}

function spawning(name: Teammate): ReplyBlock {
  return calls("spawn_teammate", { name, role: "worker", prompt: "Do your part." });
}

/** True if a result shows the outcome of a call about `what`; a complete list counts as well. */
function hasResult({ calls: made }: Memory, tool: string, what: string): boolean {
  return made.some(({ name, input, result }) => {
    if (isUnknown(result)) return false;
    if (name === "list_tasks") return result.includes(what);
    return name === tool && Object.values(input).includes(what);
  });
}

/** First its own part, each step once; then every assigned task. */
function teammatesAnswer(self: Teammate, memory: Memory): ScriptedAnswer {
  const steps = partOf(self);
  const done = memory.calls.filter(({ name }) => name === "bash" || name === "send_message").length;
  const step = steps[done];
  if (step) return calls(step.tool, step.input);
  const held = [...memory.shown.matchAll(/Task (\d+) is yours|still hold task (\d+)/g)];
  const open = held
    .map(([, given, kept]) => given ?? kept ?? "")
    .find((id) => !hasResult(memory, "complete_task", id));
  return open ? calls("complete_task", { task_id: open }) : says(`${self} rests ${memory.replies}`);
}

interface PartStep {
  tool: "bash" | "send_message";
  input: Record<string, string>;
}

function partOf(self: Teammate): PartStep[] {
  const next = teammates[(teammates.indexOf(self) + 1) % teammates.length] ?? "lead";
  return [
    { tool: "bash", input: { command: unasked(`${self}-line-1`) } },
    { tool: "send_message", input: { to: next, content: `${self}-letter-1` } },
    { tool: "bash", input: { command: asked(`${self}-line-2`) } },
    { tool: "send_message", input: { to: "lead", content: `${self}-letter-2` } },
    { tool: "bash", input: { command: unasked(`${self}-line-3`) } },
    { tool: "send_message", input: { to: next, content: `${self}-letter-3` } },
  ];
}

/** It keeps running after it has written its line: a kill then leaves an unknown outcome. */
function unasked(line: string): string {
  return `echo ${line} | tee -a ${logFile}; sleep 0.1`;
}

/** No rule allows this one, so the person is asked. */
function asked(line: string): string {
  return `printf '%s\\n' ${line} >> ${logFile}; sleep 0.05`;
}
