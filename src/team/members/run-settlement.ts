import type { Agent } from "../../agent/agent.ts";
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
 * Sees to everything that the end of a teammate's run brings about: the lead is told, and tasks
 * that were left are called to mind. Done again after a crash, it does no more than once.
 */
export async function settleRun(
  member: { name: MemberName; hasEnded: boolean },
  { lastRun }: Agent,
  options: RunSettlementOptions,
): Promise<void> {
  const { post, tasks, guard, isTeammate, outputs, keepWhole } = options;
  const { name, hasEnded } = member;
  const end = lastRun.unsettledEnd;
  if (!end) return;
  const report = await reportOf({ self: name, run: lastRun, isTeammate, outputs, keepWhole });
  const isNews = !hasEnded || lastRun.answers.length > 0;
  if (report && isNews) await post.send(lead, report);
  if (hasEnded) return;
  await tasks.afterRun(name, { end, remindedOf: lastRun.remindedOf });
  const { wakers, calledTools } = lastRun;
  const muted = guard.note({ self: name, wakers, calledTools });
  if (muted.length > 0) await tellOfChatter(name, muted, options);
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
    content: `${name} and ${peers.join(", ")} have kept each other awake with nothing but messages. Their mail to each other no longer wakes them, until they have something else to do.`,
  });
}
