import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import { TeamRequest } from "../../../src/protocol/request.ts";
import { Task } from "../../../src/protocol/task.ts";
import { type MemberRecord, TeamRecord } from "../../../src/protocol/team.ts";
import type { ReplyBlock } from "../../../src/protocol/transcript.ts";
import type { Team } from "../../../src/team/team.ts";
import type { ScriptedAnswer } from "../../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { untilChanged } from "../../support/file-text.ts";
import { shownIn, type TeamOnWire } from "../../support/team-on-wire.ts";

/** Something that a test lets happen when it is time. */
export class Latch {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

/** An answer that is held back until `latch` is opened. */
export function after(latch: Latch, answer: ScriptedAnswer): () => Promise<ScriptedAnswer> {
  return async () => {
    await latch.opened;
    return answer;
  };
}

/** An answer that never comes. */
export const never = () => new Promise<ScriptedAnswer>(() => undefined);

/** Says something unimportant until a text is shown to it; from then on, `lines` in their order. */
export function onceTold(
  text: string,
  ...lines: readonly (ScriptedAnswer | (() => ScriptedAnswer))[]
) {
  let next = 0;
  return (request: ProviderRequest): ScriptedAnswer => {
    if (!shownIn(request).includes(text)) return says("Noted.");
    const line = lines[Math.min(next++, lines.length - 1)] ?? says("Noted.");
    return typeof line === "function" ? line() : line;
  };
}

/** A lead's call that starts a teammate. */
export function spawns(name: string, more: Record<string, unknown> = {}): ReplyBlock {
  return calls("spawn_teammate", { name, role: "coder", prompt: "Do your work.", ...more });
}

export const coder = (name: string) => ({ name, role: "coder", prompt: "Do your work." });

const ToolResult = z.looseObject({
  type: z.literal("tool_result"),
  content: z.unknown(),
  is_error: z.boolean().optional(),
});

export interface Result {
  text: string;
  isError: boolean;
}

/** The results of all calls that a request shows, oldest first. */
export function resultsIn(request: ProviderRequest | undefined): Result[] {
  const blocks = (request?.body.messages ?? []).flatMap(({ content }) =>
    Array.isArray(content) ? content : [],
  );
  return blocks
    .map((block) => ToolResult.safeParse(block))
    .flatMap(({ data }) => (data ? [data] : []))
    .map(({ content, is_error: isError = false }) => ({
      text: typeof content === "string" ? content : JSON.stringify(content),
      isError,
    }));
}

/** The last result that a request shows. */
export function lastResult(request: ProviderRequest | undefined): Result | undefined {
  return resultsIn(request).at(-1);
}

/** The newest id of a protocol's question that a request shows, in a wrapper or in a result. */
export function requestIdIn(request: ProviderRequest): string {
  const found = [...shownIn(request).matchAll(/request_id=\W{0,2}([0-9a-f-]{36})/g)];
  return found.at(-1)?.[1] ?? "none";
}

/** Resolves when an event comes for which `isIt` holds. Call it before what makes it come. */
export async function nextEvent(
  team: Team,
  isIt: (event: AgentEvent) => boolean,
): Promise<AgentEvent> {
  for await (const event of team.events()) if (isIt(event)) return event;
  throw new Error("The events ended before it came");
}

/** Resolves when a run of the member ends. */
export function endOfRun(team: Team, member: string): Promise<AgentEvent> {
  return nextEvent(team, (event) => event.type === "run-end" && event.member === member);
}

/** Resolves to the id of the next question of this type that is put to somebody. */
export async function nextQuestion(team: Team, type: TeamRequest["type"]): Promise<string> {
  const event = await nextEvent(
    team,
    (it) => it.type === "request-change" && it.request_type === type && it.state === "pending",
  );
  return event.type === "request-change" ? event.id : "";
}

/** A task as it lies on disk. */
export async function taskOnDisk(wire: TeamOnWire, id: string): Promise<Task> {
  return Task.parse(await jsonOnDisk(wire, "tasks", `${id}.json`));
}

export async function questionOnDisk(wire: TeamOnWire, id: string): Promise<TeamRequest> {
  return TeamRequest.parse(await jsonOnDisk(wire, "requests", `${id}.json`));
}

export async function rosterOnDisk(wire: TeamOnWire): Promise<TeamRecord> {
  return TeamRecord.parse(await jsonOnDisk(wire, "config.json"));
}

export async function memberOnDisk(wire: TeamOnWire, name: string) {
  return (await rosterOnDisk(wire)).members.find((member) => member.name === name);
}

/** Resolves when a member's record on disk is as `isIt` says. It is looked at whenever the file changes. */
export async function untilOnDisk(
  wire: TeamOnWire,
  name: string,
  isIt: (member: MemberRecord) => boolean,
): Promise<void> {
  await untilChanged(join(wire.teamDirectory, "config.json"), async () => {
    const member = await memberOnDisk(wire, name);
    return member && isIt(member) ? member : undefined;
  });
}

async function jsonOnDisk(wire: TeamOnWire, ...path: string[]): Promise<unknown> {
  return JSON.parse(await readFile(join(wire.teamDirectory, ...path), "utf8"));
}

/**
 * Resolves when nothing is under way in this process any more, beside timers and processes: no file
 * is worked on, and the provider has got every request. Whatever a team has begun, it has done.
 */
export async function nothingUnderWay({ server }: TeamOnWire): Promise<void> {
  let known = -1;
  while (known !== server.requests.length) {
    known = server.requests.length;
    await filesAtRest();
    // What was sent before this request is received before its answer.
    await (await fetch(`${server.url}/nothing`)).text();
    await filesAtRest();
  }
}

async function filesAtRest(): Promise<void> {
  const isFile = (resource: string) => resource.startsWith("FSReq") || resource === "CloseReq";
  while (process.getActiveResourcesInfo().some(isFile)) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
