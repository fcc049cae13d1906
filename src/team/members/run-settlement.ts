import { join } from "node:path";
import type { LastRun } from "../../agent/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import { firstCharacters } from "../../lib/cut-text.ts";
import { lead, type MemberName, system } from "../../protocol/ids.ts";
import { isContentSize, type MessageDraft } from "../../protocol/message.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";
import type { TeamTasks } from "../protocols/team-tasks.ts";
import type { ChatterGuard } from "./chatter-guard.ts";

export interface RunSettlementOptions {
  post: { send(...given: Parameters<Post["send"]>): Promise<unknown> };
  /** Keeps the work of a member with a checkout, and puts it into the queue to land. */
  handIn(member: MemberName): Promise<void>;
  tasks: Pick<TeamTasks, "afterRun">;
  guard: Pick<ChatterGuard, "note">;
  clock: Clock;
  isTeammate(name: MemberName): boolean;
  /** The directory for texts that are too long for a message. */
  outputs: string;
  keepWhole(path: string, text: string): Promise<void>;
}

/** The part of a text that is too long for a message which goes into the message itself. */
const shownCharacters = 27_000;

/**
 * Does everything that the end of a run brings about: reports a teammate's run to the lead, reminds
 * the member of its tasks, and notices members that only chat. To repeat it after a crash changes
 * nothing.
 */
export async function settleRun(
  member: { name: MemberName; hasEnded: boolean },
  lastRun: LastRun,
  options: RunSettlementOptions,
): Promise<void> {
  const { guard } = options;
  const { name, hasEnded } = member;
  if (!lastRun.unsettledEnd) return;
  if (name !== lead) await options.handIn(name);
  if (name !== lead) await report(member, lastRun, options);
  if (hasEnded) return;
  const { wakers, calledTools } = lastRun;
  const muted = guard.note({ self: name, wakers, calledTools });
  if (muted.length > 0) await tellOfChatter(name, muted, options);
}

async function report(
  { name: from, hasEnded }: { name: MemberName; hasEnded: boolean },
  run: LastRun,
  options: RunSettlementOptions,
): Promise<void> {
  const end = run.unsettledEnd;
  if (!end) return;
  // The removal of a member is known. A run that was over before it may be all that is known of it.
  const isNews = !hasEnded || run.answers.length > 0 || end.outcome === "done";
  if (isNews) await options.post.send(lead, await reportMessage(from, run, options));
  if (!hasEnded) await options.tasks.afterRun(from, { end, remindedOf: run.remindedOf });
}

/** The message that reports the end of a teammate's run to the lead; always the same for one run. */
async function reportMessage(
  from: MemberName,
  run: LastRun,
  options: RunSettlementOptions,
): Promise<MessageDraft> {
  const { outcome = "done", reason, reportId } = run.unsettledEnd ?? {};
  const id = reportId && { id: reportId };
  const ending = outcome === "done" ? [] : [`(${outcome}${reason ? `: ${reason}` : ""})`];
  const texts = [...run.answers, ...ending];
  if (texts.length === 0) {
    return { ...id, type: "idle_notification", from, content: `${from} is idle.` };
  }
  const wakers = [...run.wakers];
  const isTalk = wakers.length > 0 && wakers.every(options.isTeammate);
  const path = join(options.outputs, `result-${reportId}.txt`);
  const content = await fitting(texts.join("\n\n"), path, options);
  return { ...id, type: "result", from, outcome, content, ...(isTalk && { woken_by_peers: true }) };
}

async function fitting(
  text: string,
  path: string,
  { keepWhole }: RunSettlementOptions,
): Promise<string> {
  if (isContentSize(text)) return text;
  await keepWhole(path, text);
  const shown = firstCharacters(text, shownCharacters);
  return `${shown}\n... (${text.length - shown.length} more characters; the whole is in ${path})`;
}

async function tellOfChatter(
  name: MemberName,
  peers: readonly MemberName[],
  { post, clock }: RunSettlementOptions,
): Promise<void> {
  const at = clock.now();
  await post.send(lead, {
    id: messageIdFor(`chatter ${name} ${at.toISOString()}`, at),
    type: "message",
    from: system,
    content: `${name} and ${peers.join(", ")} have kept each other awake with nothing but messages. Their mail to each other no longer wakes them until they have other work.`,
  });
}
