import type { LastRun } from "../../agent/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import { lead, type MemberName, system } from "../../protocol/ids.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";
import type { TeamTasks } from "../protocols/team-tasks.ts";
import type { ChatterGuard } from "./chatter-guard.ts";
import { reportOf } from "./run-report.ts";

export interface RunSettlementOptions {
  post: Post;
  tasks: TeamTasks;
  guard: ChatterGuard;
  clock: Clock;
  isTeammate(name: MemberName): boolean;
  /** Where texts go that are too long for a message. */
  outputs: string;
  keepWhole(path: string, text: string): Promise<void>;
}

/**
 * Sees to everything that the end of a run brings about: a teammate's lead is told, tasks that were
 * left are called to mind, and who only chats is noticed. Done again after a crash, it does no more
 * than once.
 */
export async function settleRun(
  member: { name: MemberName; hasEnded: boolean },
  lastRun: LastRun,
  options: RunSettlementOptions,
): Promise<void> {
  const { guard } = options;
  const { name, hasEnded } = member;
  if (!lastRun.unsettledEnd) return;
  if (name !== lead) await report(member, lastRun, options);
  if (hasEnded) return;
  const { wakers, calledTools } = lastRun;
  const muted = guard.note({ self: name, wakers, calledTools });
  if (muted.length > 0) await tellOfChatter(name, muted, options);
}

async function report(
  { name, hasEnded }: { name: MemberName; hasEnded: boolean },
  run: LastRun,
  { post, tasks, isTeammate, outputs, keepWhole }: RunSettlementOptions,
): Promise<void> {
  const message = await reportOf({ self: name, run, isTeammate, outputs, keepWhole });
  const end = run.unsettledEnd;
  // Whoever ended it knows that; but a run that was over by then may be all that is known of it.
  const isNews = !hasEnded || run.answers.length > 0 || end?.outcome === "done";
  if (message && isNews) await post.send(lead, message);
  if (end && !hasEnded) await tasks.afterRun(name, { end, remindedOf: run.remindedOf });
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
