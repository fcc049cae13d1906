import type { Clock } from "../lib/clock.ts";
import { onAbort } from "../lib/on-abort.ts";
import { WakeLatch } from "../lib/wake-latch.ts";
import { lead, type MemberName, type MessageId, system } from "../protocol/ids.ts";
import { isOpen } from "../protocol/task-state.ts";
import type { MemberHandle } from "./members/member-handle.ts";
import type { Members } from "./members/members.ts";
import type { Post } from "./post.ts";
import type { TeamStore } from "./team-store.ts";

/** The part of a supervisor that shows whether its team is quiet. */
export interface QuietingTeam {
  readonly members: Members;
  readonly isQuiet: boolean;
  readonly isClosing: boolean;
  readonly options: {
    store: Pick<TeamStore, "newestUnread" | "requests" | "tasks" | "landings">;
    clock: Clock;
  };
  readonly protocols: { post: Post };
}

export interface QuietOptions {
  signal: AbortSignal;
  /** How long background commands are waited for once all else is quiet. */
  backgroundWaitMs: number;
}

/**
 * Resolves when the team is quiet: nobody works, nothing that wakes is unread, nobody could claim a
 * task, no approval is waited for. A lead that leaves something undecided is reminded once. Resolves
 * early when `signal` is aborted.
 */
export async function untilQuiet(supervisor: QuietingTeam, options: QuietOptions): Promise<void> {
  const { signal, backgroundWaitMs } = options;
  const wait = new BackgroundWait(supervisor, backgroundWaitMs);
  const shown = new Map<MemberName, MessageId>();
  let isReminded = false;
  while (true) {
    await until(supervisor, signal, () => supervisor.isQuiet);
    if (signal.aborted || supervisor.isClosing) return;
    if (await wakeForMail(supervisor.options.store, supervisor.members.living, shown)) continue;
    const reminder = isReminded ? undefined : await unfinishedBusiness(supervisor);
    if (!supervisor.isQuiet) continue;
    if (reminder) {
      isReminded = true;
      const { post } = supervisor.protocols;
      await post.send(lead, { type: "message", from: system, content: reminder });
      continue;
    }
    if (!hasBackgroundJobs(supervisor) || wait.check()) return;
    // The mail that tells of a job's end makes the team busy again.
    const stopWaiting = wait.begin();
    await until(supervisor, signal, () => !supervisor.isQuiet || wait.check());
    stopWaiting();
  }
}

/**
 * Wakes each member whose mailbox has something newer than it has looked at: its sender may be at
 * rest again, and the member may run elsewhere and not have heard of it yet. False where nobody has.
 * `shown` has what members were woken for: none is woken for the same message twice.
 */
export async function wakeForMail(
  store: Pick<TeamStore, "newestUnread">,
  members: readonly MemberHandle[],
  shown: Map<MemberName, MessageId>,
): Promise<boolean> {
  const woken = members.map(async (member) => {
    const newest = await store.newestUnread(member.name);
    const isKnown = newest === member.state.lookedAt || newest === shown.get(member.name);
    if (newest === undefined || isKnown) return false;
    shown.set(member.name, newest);
    await member.order({ type: "wake" });
    return true;
  });
  return (await Promise.all(woken)).includes(true);
}

/** The time for which background commands are waited for. A run of any member restarts it. */
class BackgroundWait {
  readonly #supervisor: QuietingTeam;
  readonly #waitMs: number;
  #runs = -1;
  #endMs = 0;

  constructor(supervisor: QuietingTeam, waitMs: number) {
    this.#supervisor = supervisor;
    this.#waitMs = waitMs;
  }

  /** True once the time is over. Restarts it where a member has run since the last check. */
  check(): boolean {
    const { members, options } = this.#supervisor;
    const nowMs = options.clock.monotonicMs();
    // A wake without a run, such as a wake of the sweep, does not restart the time.
    if (this.#runs !== members.runs) this.#endMs = nowMs + this.#waitMs;
    this.#runs = members.runs;
    return nowMs >= this.#endMs;
  }

  /** Reports a change when the time is over. Returns how to stop that. */
  begin(): () => void {
    const { members, options } = this.#supervisor;
    const leftMs = Math.max(this.#endMs - options.clock.monotonicMs(), 0);
    return options.clock.schedule(leftMs, () => members.changed());
  }
}

function hasBackgroundJobs({ members }: QuietingTeam): boolean {
  // One that has just ended wakes its owner as soon as the owner is told.
  return members.living.some(
    ({ state }) => state.backgroundJobs.length > 0 || state.isTellingOfJobs,
  );
}

/** Resolves when `holds` does, which is looked at whenever something has changed. */
async function until(
  supervisor: QuietingTeam,
  signal: AbortSignal,
  holds: () => boolean,
): Promise<void> {
  const latch = new WakeLatch();
  const stop = supervisor.members.onChange(() => latch.wake());
  const removeListener = onAbort(signal, () => latch.wake());
  // The timers and watches of a team do not keep the process alive, so this does.
  const keepAlive = setInterval(() => {}, 2 ** 31 - 1);
  try {
    while (!holds() && !signal.aborted && !supervisor.isClosing) {
      await latch.next();
    }
  } finally {
    clearInterval(keepAlive);
    stop();
    removeListener();
  }
}

/** The open plans and tasks, as a reminder; undefined where there are none or the lead cannot act. */
async function unfinishedBusiness(supervisor: QuietingTeam): Promise<string | undefined> {
  const { failure, exhausted, lastEnd } = supervisor.members.lead.state;
  if (failure !== undefined || exhausted || lastEnd?.outcome !== "done") return undefined;
  const { store } = supervisor.options;
  const plans = (await store.requests.list({ state: "pending", type: "plan" })).filter(
    ({ to }) => to === lead,
  );
  const results = await store.requests.list({ state: "pending", type: "result" });
  const tasks = (await store.tasks.list()).filter(isOpen);
  const landings = (await store.landings.list()).filter(({ state }) =>
    ["conflict", "rejected"].includes(state),
  );
  const lines = [
    ...results.map(({ id }) => `- the result of request_id=${id} is missing (submit_result)`),
    ...plans.map(({ id, from }) => `- the plan of ${from} is undecided (request_id=${id})`),
    ...landings.map(({ id, member, target, state }) => {
      const why = state === "conflict" ? "conflicts with it" : "has not passed the check";
      return `- the work of ${member} (landing ${id}) is not on ${target}: it ${why}`;
    }),
    ...tasks.map(({ id, subject, owner, status }) => {
      return `- task ${id} is ${status}${owner ? `, owned by ${owner}` : ""}: ${subject}`;
    }),
  ];
  if (lines.length === 0) return undefined;
  return [
    "Everybody is idle, and this is not finished:",
    ...lines.slice(0, 50),
    "Decide, assign, complete or cancel it; or say why it stays so.",
  ].join("\n");
}
