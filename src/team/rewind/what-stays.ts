import type { RewindPoint } from "../../agent/rewind.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import { CronId } from "../../protocol/cron.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import { lead, type MemberName, outside } from "../../protocol/ids.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import { traitsOf } from "../../protocol/tool-traits.ts";
import type { ToolCall } from "../../protocol/transcript.ts";
import type { Equipment } from "../equipment.ts";
import { aliveSince } from "../members/spawning.ts";
import type { Supervisor } from "../supervisor.ts";
import type { TeamStore } from "../team-store.ts";
import { entriesOldestFirst, mailNewestFirst } from "../view/read-pages.ts";
import type { FileEffect } from "./file-restore.ts";

export interface MemberCall {
  member: MemberName;
  call: ToolCall;
  hasFailed: boolean;
}

/** What a rewind would undo, as far as it says what stays. */
interface UndoneWork {
  point: RewindPoint;
  calls: readonly MemberCall[];
  files: readonly FileEffect[];
  /** Whether there were changes of files that are no longer known. */
  isIncomplete: boolean;
}

type TeamParts = Pick<Supervisor, "members" | "protocols">;

type IsLater = (at: string | undefined) => boolean;

/** So many of one kind are named. */
const maxNamed = 20;
/** So many of the newest events are looked through at first. */
const fewEvents = 10_000;

/** What stays as it is when the team goes back, each in a sentence for the person. */
export async function whatStays(
  { store, tools }: Pick<Equipment, "store" | "tools">,
  supervisor: TeamParts,
  { point, calls, files, isIncomplete }: UndoneWork,
): Promise<string[]> {
  const isLater: IsLater = (at) => at !== undefined && Date.parse(at) >= point.seenAt.getTime();
  const own = new Set(tools.map(({ spec }) => spec.name));
  const since = await eventsSince(store, point);
  const jobs = supervisor.members.living.filter(({ state }) => state.backgroundJobs.length > 0);
  return [
    ...commandsIn(calls),
    ...ownCallsIn(calls, own),
    ...lostFiles(files, isIncomplete),
    ...(await tasksSince(store, isLater)),
    ...(await resultsSince(store, isLater)),
    ...(await cronsSince(store, isLater)),
    ...(await goneCrons(store, supervisor, { point, calls })),
    ...(await rulesSince(supervisor, isLater)),
    ...settingsSince(since),
    ...(await membersSince(store, supervisor, isLater)),
    ...jobs.map(({ name }) => `'${name}' has commands in the background, which run on.`),
    ...(since.isClockSetBack ? [clockSetBack] : []),
  ];
}

/** Commands can change anything: each is named. */
function commandsIn(calls: readonly MemberCall[]): string[] {
  const commands = calls.filter(({ call }) => traitsOf(call.name).ruleScope === "commands");
  return firstOf(
    commands.map(({ member, call }) => {
      const summary = summarizeCall(call.name, call.input);
      return `What a command of ${member} did is not undone: ${summary}`;
    }),
    (more) => `${more} more commands are not undone.`,
  );
}

function ownCallsIn(calls: readonly MemberCall[], own: ReadonlySet<string>): string[] {
  const named = calls.filter(({ call }) => own.has(call.name));
  return firstOf(
    named.map(({ member, call }) => {
      return `What ${call.name} did, which ${member} called, is not undone.`;
    }),
    (more) => `${more} more calls of the program's own tools are not undone.`,
  );
}

function lostFiles(files: readonly FileEffect[], isIncomplete: boolean): string[] {
  const left = files.filter(({ action }) => action === "leave");
  const lost = left.map(({ path, problem }) => `${path} is left as it is: ${problem}.`);
  const more = "So many files were changed since that the first changes are no longer known.";
  return isIncomplete ? [...lost, more] : lost;
}

async function tasksSince({ tasks }: TeamStore, isLater: IsLater): Promise<string[]> {
  const changed = (await tasks.list()).filter(({ updated_at }) => isLater(updated_at));
  return changed.map(({ id }) => `Task ${id} was created or changed since, and stays as it is.`);
}

async function resultsSince({ requests }: TeamStore, isLater: IsLater): Promise<string[]> {
  const given = await requests.list({ state: "approved", type: "result" });
  return given
    .filter(({ decision }) => isLater(decision?.at))
    .map(({ id, type, subject }) => {
      const { key = id } = type === "result" ? subject : {};
      return `The result of '${key}' was submitted since, and stays.`;
    });
}

async function cronsSince({ crons }: TeamStore, isLater: IsLater): Promise<string[]> {
  const made = (await crons.list()).filter(({ created_at }) => isLater(created_at));
  return made.map(({ id, cron }) => `The cron ${id} (${cron}) was made since, and stays.`);
}

/** Those that were cancelled, and those that came once. */
async function goneCrons(
  store: TeamStore,
  { members }: TeamParts,
  { point, calls }: Pick<UndoneWork, "point" | "calls">,
): Promise<string[]> {
  const left = new Set<string>((await store.crons.list()).map(({ id }) => id));
  const cancelled = calls.flatMap(({ call, hasFailed }) => {
    const { cancelledCron } = traitsOf(call.name);
    if (!cancelledCron || hasFailed) return [];
    const { data: id } = CronId.safeParse(Object(call.input)[cancelledCron]);
    return id && !left.has(id) ? [id] : [];
  });
  const sent = await Promise.all(members.living.map(({ name }) => cronsSent(store, name, point)));
  const came = new Set(sent.flat().filter((id) => !left.has(id) && !cancelled.includes(id)));
  return [
    ...cancelled.map((id) => `The cron ${id} was cancelled since, and stays so.`),
    ...[...came].map((id) => `The cron ${id} came since, and does not come again.`),
  ];
}

/** The crons whose prompts a member was sent since, whether or not it has seen them. */
async function cronsSent(
  store: TeamStore,
  owner: MemberName,
  { seenAt }: RewindPoint,
): Promise<CronId[]> {
  const ids: CronId[] = [];
  for await (const record of mailNewestFirst(store.view(), owner)) {
    if (record.state === "set aside") continue;
    const { message } = record;
    const isEarlier = message.timestamp * 1000 < seenAt.getTime();
    // A line that was written by hand claims any time.
    if (isEarlier && message.from !== outside) break;
    if (!isEarlier && message.type === "message" && message.cron_id) ids.push(message.cron_id);
  }
  return ids;
}

async function rulesSince({ protocols }: TeamParts, isLater: IsLater): Promise<string[]> {
  const { keeper, permissions } = protocols;
  const added = permissions.rules.list().filter(({ from, since }) => {
    return from !== "start" && isLater(since);
  });
  const { rules } = await keeper.permissions();
  const removed = rules.filter(({ change, at }) => change === "removed" && isLater(at));
  return [
    ...added.map(
      ({ decision, rule }) => `The rule "${decision} ${rule}" was added since, and stays.`,
    ),
    ...removed.map(
      ({ decision, rule }) => `The rule "${decision} ${rule}" was removed since, and stays so.`,
    ),
  ];
}

/** The modes, models and efforts that the person has set. */
function settingsSince({ events, areAll }: EventsSince): string[] {
  const settings = new Map<string, string>();
  for (const event of events) {
    const { member = lead } = event;
    if (event.type === "mode-change") {
      const sentence = `The permission mode of '${member}' was changed since, and stays '${event.mode}'.`;
      settings.set(`mode ${member}`, sentence);
    }
    if (event.type === "model-set") {
      const { model, effort } = event;
      const choice = `${model}${effort ? `, effort ${effort}` : ""}`;
      settings.set(
        `model ${member}`,
        `The model of '${member}' was set since, and stays: ${choice}.`,
      );
    }
  }
  const forgotten =
    "So much has happened since that the first changes of modes and models are no longer known. Those that were made stay.";
  return areAll ? [...settings.values()] : [...settings.values(), forgotten];
}

interface EventsSince {
  /** What has happened since the prompt. */
  events: AgentEvent[];
  /** Whether all of it is still known. */
  areAll: boolean;
  /** Whether the order of the events and their times differ. */
  isClockSetBack: boolean;
}

const clockSetBack =
  "The clock was set back, and times decide what came after the prompt: some of what teammates did since may stay, and some of what they did before may be taken back.";

async function eventsSince(store: TeamStore, point: RewindPoint): Promise<EventsSince> {
  const { seenAt } = point;
  await store.events.flush();
  const view = store.view();
  for (let count = fewEvents; ; count *= 4) {
    const newest = await view.recentEvents(count);
    const reaches = newest.some(({ event }) => Date.parse(event.at) <= seenAt.getTime());
    if (!reaches && newest.length === count) continue;
    const events = newest.flatMap(({ event }) =>
      Date.parse(event.at) >= seenAt.getTime() ? event : [],
    );
    const isClockSetBack = isOutOfOrder(
      newest.map(({ event }) => event),
      point,
    );
    return { events, areAll: reaches, isClockSetBack };
  }
}

/** Clocks are corrected by so much all the time. */
const maxCorrectionMs = 1_000;

/** Whether an event after that of the prompt is earlier, or one before it later. */
function isOutOfOrder(events: readonly AgentEvent[], { id }: RewindPoint): boolean {
  const seen = events.findIndex((event) => event.type === "message-delivered" && event.id === id);
  const at = Date.parse(events[seen]?.at ?? "");
  return events.some((event, index) => {
    const laterMs = Date.parse(event.at) - at;
    return index > seen ? laterMs < -maxCorrectionMs : laterMs > maxCorrectionMs;
  });
}

/** Those that were there at the prompt, and are not as they were. */
async function membersSince(
  store: TeamStore,
  { protocols }: TeamParts,
  isLater: IsLater,
): Promise<string[]> {
  const { members } = await protocols.keeper.read();
  const sentences = members.map((member) =>
    member.status === "shutdown"
      ? endedSince(store, member, isLater)
      : spawnedAgainSince(store, member, isLater),
  );
  return (await Promise.all(sentences)).flat();
}

async function endedSince(
  store: TeamStore,
  { name, alive_since, spawned_at }: MemberRecord,
  isLater: IsLater,
): Promise<string[]> {
  const { entries } = await store.view().transcript(name, { limit: 1 });
  const wasThere = !isLater(alive_since ?? spawned_at);
  if (!wasThere || !isLater(entries.at(-1)?.entry?.at)) return [];
  return [`'${name}' has ended since, and does not come back.`];
}

async function spawnedAgainSince(
  store: TeamStore,
  member: MemberRecord,
  isLater: IsLater,
): Promise<string[]> {
  const { name, spawned_at } = member;
  if (isLater(aliveSince(member)) || !isLater(spawned_at)) return [];
  for await (const { at } of entriesOldestFirst(store.view(), name)) {
    if (isLater(at))
      return [
        `'${name}' was spawned with a new conversation since: what it knew then does not come back.`,
      ];
    break;
  }
  return [`'${name}' was spawned again since, and stays as it was spawned then.`];
}

function firstOf(sentences: readonly string[], rest: (more: number) => string): string[] {
  const more = sentences.length - maxNamed;
  return more > 0 ? [...sentences.slice(0, maxNamed), rest(more)] : [...sentences];
}
