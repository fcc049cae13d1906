import { Conversation } from "../../src/agent/conversation.ts";
import { RunRecord } from "../../src/agent/run-record.ts";
import {
  lead,
  type MemberName,
  type MessageId,
  outside,
  system,
  user,
} from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/message.ts";
import { wakes, wakesWhenQuiet } from "../../src/protocol/message-types.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { isFree } from "../../src/team/members/member-handle.ts";
import { messageIdFor } from "../../src/team/message-id-for.ts";
import type { Supervisor } from "../../src/team/supervisor.ts";
import type { DurableState, StoredMail } from "./durable-state.ts";

/** What one member has on disk when the team is at rest. */
interface Belongings {
  name: MemberName;
  mail: readonly StoredMail[];
  entries: readonly TranscriptEntry[];
  /** What it was shown before it began anew, each time. */
  past: readonly (readonly TranscriptEntry[])[];
}

/** What is not as it must be when the team is at rest, in sentences. */
export async function findViolations(
  durable: DurableState,
  supervisor: Supervisor,
): Promise<string[]> {
  const all: Belongings[] = [];
  for (const name of [lead, ...durable.team.members.map((member) => member.name)]) {
    const [mail, entries] = [await durable.mailOf(name), await durable.entriesOf(name)];
    all.push({ name, mail, entries, past: durable.pastOf(name) });
  }
  return [
    ...(supervisor.isQuiet ? [] : ["the team is at rest, and not quiet"]),
    ...all.flatMap((member) => lostMail(member, all, durable)),
    ...all.flatMap((member) => sleptThroughMail(member, supervisor)),
    ...all.flatMap((member) => unansweredMail(member, supervisor)),
    ...(await missingRules(durable, supervisor)),
    ...untrueStatuses(durable, supervisor),
    ...all.flatMap((member) => silentRuns(member, all, durable)),
    ...(await misplacedTasks(durable, supervisor)),
  ];
}

/** Sent is seen exactly once, or given back with its sender told. */
function lostMail(
  { name, mail, entries, past }: Belongings,
  all: readonly Belongings[],
  { sent, ended }: DurableState,
): string[] {
  const lives = [...past, entries].map(shownIn);
  const stored = new Map(mail.map((record) => [record.message.id, record]));
  const missing = sent
    .filter(({ to, id }) => to === name && !stored.has(id))
    .map((message) => `${described(message)} is in no mailbox`);
  const wrong = mail.flatMap(({ message, state }) => {
    // Whoever begins anew may be shown again what it has forgotten.
    const times = Math.max(...lives.map((shown) => shown.get(message.id) ?? 0));
    if (times > 1) return [`${described(message)} was shown ${times} times`];
    if (state === "delivered" && times === 0) return [`${described(message)} was never shown`];
    if (state === "undelivered" && times > 0)
      return [`${described(message)} was given back though seen`];
    if (state === "undelivered" && !ended.has(message.from) && !isSenderTold(message, all)) {
      return [`${described(message)} was given back, and its sender does not know`];
    }
    return [];
  });
  return [...missing, ...wrong];
}

function shownIn(entries: readonly TranscriptEntry[]): Map<MessageId, number> {
  const shown = new Map<MessageId, number>();
  const count = ({ id }: Message) => shown.set(id, (shown.get(id) ?? 0) + 1);
  for (const entry of entries) {
    if (entry.type === "delivery") count(entry.message);
    if (entry.type === "tool-result") for (const { message } of entry.mail ?? []) count(message);
  }
  return shown;
}

function isSenderTold(message: Message, all: readonly Belongings[]): boolean {
  const { id, from, type, timestamp } = message;
  if (type !== "message" && type !== "broadcast" && type !== "task_assignment") return true;
  // The person is told on the screen, and the runtime knows.
  if (from === user || from === outside || from === system) return true;
  const told = messageIdFor(`returned ${id}`, new Date(timestamp * 1000));
  const sender = all.find(({ name }) => name === from);
  return sender?.mail.some((other) => other.message.id === told) ?? false;
}

/** Nobody is idle with unread mail that wakes. */
function sleptThroughMail({ name, mail }: Belongings, supervisor: Supervisor): string[] {
  const unread = mail.filter(({ state }) => state === "queued").map(({ message }) => message);
  const member = supervisor.members.get(name);
  if (!member || member.state.hasEnded) {
    return unread.map((message) => `${described(message)} lies with somebody who has ended`);
  }
  const { exhausted, failure, isInterrupted } = member.state;
  if (exhausted) return [];
  const isHeard = (message: Message) => {
    if (failure !== undefined || isInterrupted) {
      return wakes(message) && (message.from === user || (message.from === lead && name !== lead));
    }
    return wakes(message) || (name === lead && wakesWhenQuiet(message));
  };
  return unread.filter(isHeard).map((message) => `${described(message)} wakes nobody`);
}

/** Mail that deserves an answer counts as shown only when the model was asked with it. */
function unansweredMail({ name, entries }: Belongings, { members }: Supervisor): string[] {
  const state = members.get(name)?.state;
  if (!state || state.hasEnded) return [];
  const { failure, isInterrupted, exhausted } = state;
  const conversation = new Conversation(entries, () => "mail.txt");
  const lastRun = new RunRecord(entries);
  const mayWait = failure !== undefined || isInterrupted || exhausted;
  // Whose last run was cut short by a limit, or who leads and was killed, goes on with its next mail.
  const hasBeenAsked = lastRun.end ? lastRun.end.outcome !== "done" : lastRun.isOpen;
  if (!conversation.awaitsReply || mayWait || hasBeenAsked) return [];
  return [`${name} has taken in mail that its model was never asked about`];
}

/** What the person has always allowed holds for everybody. */
async function missingRules({ requests }: DurableState, { members }: Supervisor) {
  const approved = await requests.list({ state: "approved", type: "permission" });
  const rules = approved.flatMap(({ decision }) => decision?.rule ?? []);
  return members.living.flatMap(({ name, state }) => {
    const missing = rules.find((rule) => !state.rules.some((it) => it.text === rule));
    return missing ? [`${name} does not know the rule '${missing}'`] : [];
  });
}

function untrueStatuses({ team }: DurableState, supervisor: Supervisor): string[] {
  return team.members.flatMap(({ name, status, ending }) => {
    const member = supervisor.members.get(name);
    const isGone = !member || member.state.hasEnded;
    const real = isGone ? "shutdown" : member.state.failure !== undefined ? "failed" : "idle";
    const isUntrue = status !== real || ending !== undefined;
    return isUntrue ? [`the roster has ${name} as ${status}, and it is ${real}`] : [];
  });
}

/** Every run's end has its report in the lead's mailbox, but of those who ended with nothing to say. */
function silentRuns(
  { name, entries, past }: Belongings,
  all: readonly Belongings[],
  { ended, team, hasFailed }: DurableState,
): string[] {
  if (name === lead) return [];
  const reports = new Set(
    all.find((other) => other.name === lead)?.mail.map((it) => it.message.id),
  );
  let hasAnswered = false;
  const silent: string[] = [];
  for (const entry of [...past.flat(), ...entries]) {
    if (entry.type === "reply") hasAnswered ||= isAnswer(entry);
    if (entry.type !== "run-end" || !entry.report_id) continue;
    // Whoever ended it knows, also where the end itself was lost with its process.
    const isEnded = ended.has(name) || (entry.outcome === "interrupted" && entry.reason);
    // Who could not report for a broken disk and was ended then has no other chance.
    const mayBeSilent = isEnded && (!hasAnswered || hasFailed);
    hasAnswered = false;
    if (!reports.has(entry.report_id) && !mayBeSilent) {
      silent.push(`a run of ${name} ended (${entry.outcome}), and the lead was not told`);
    }
  }
  const isGone = team.members.some((it) => it.name === name && it.status === "shutdown");
  if (isGone && hasAnswered && !hasFailed) silent.push(`nobody heard the last words of ${name}`);
  return silent;
}

function isAnswer({ blocks }: Extract<TranscriptEntry, { type: "reply" }>): boolean {
  return blocks.length > 0 && blocks.every(({ type }) => type === "text");
}

async function misplacedTasks(durable: DurableState, supervisor: Supervisor): Promise<string[]> {
  const tasks = await durable.tasks.list();
  const problems = tasks.flatMap(({ id, owner, status }) => {
    const isOpen = status === "pending" || status === "in_progress";
    if (!owner || !isOpen || owner === lead || owner === user) return [];
    const isGone = supervisor.members.get(owner)?.state.hasEnded ?? true;
    return isGone ? [`task ${id} is ${status} with ${owner}, who has ended`] : [];
  });
  const { members, protocols } = supervisor;
  const free = members.livingTeammates.find(
    (member) => isFree(member) && !protocols.plans.isPending(member.name),
  );
  const [open] = await durable.tasks.claimable();
  if (free && open) problems.push(`${free.name} is free, and task ${open.id} waits for somebody`);
  return problems;
}

function described({ id, type, from, to }: Message): string {
  return `the ${type} ${id} from ${from} to ${to}`;
}
