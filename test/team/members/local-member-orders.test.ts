import { expect, test } from "vitest";
import type {
  CompactionOrder,
  LastRun,
  RecordedEnd,
  RunEnd,
  RunOrders,
} from "../../../src/agent/runner.ts";
import { interruptionReason, isLeaving } from "../../../src/lib/leaving.ts";
import { Secrets } from "../../../src/lib/secrets.ts";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import { MemberName, newMessageId, user } from "../../../src/protocol/ids.ts";
import { Inbox } from "../../../src/team/members/inbox.ts";
import { LocalMember } from "../../../src/team/members/local-member.ts";
import type { MemberState } from "../../../src/team/members/member-handle.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { Post } from "../../../src/team/post.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { enlist, member } from "../../support/team.ts";

const alice = MemberName.parse("alice");

test("a member that works and rests is shown so, and each run is settled once", async () => {
  await using it = await openMember();
  await it.start();
  await it.tell("Go.");
  await it.rest(1);
  await it.tell("Again.");
  await it.rest(2);

  expect(it.shown).toEqual(["idle", "working", "idle", "working", "idle"]);
  expect(it.settled).toEqual(["done, alive", "done, alive"]);
});

test("what a member waits for is shown while it runs, and only then", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  await it.start();
  await it.order({ type: "show-waiting", detail: "waiting for approval" });
  await it.tell("Go.");
  await it.hanging;

  await it.order({ type: "show-waiting", detail: "waiting for approval" });
  await it.order({ type: "show-waiting", detail: "waiting for approval" });
  await it.order({ type: "end", reason: "it was shut down" });
  await it.order({ type: "show-waiting", detail: "for nothing" });

  expect(it.shown).toEqual(["idle", "working", "working: waiting for approval"]);
});

test("with another model, a member that works does so at once, and one at rest or ended does not", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  const order = { type: "set-model", model: "p/other", effort: undefined } as const;
  await it.start();
  await it.until(({ isBusy }) => !isBusy);
  await it.order(order);
  await it.tell("Go.");
  await it.hanging;
  await it.order({ type: "show-waiting", detail: "waits for its model" });

  await it.order(order);
  await it.order({ type: "show-waiting", detail: "waits for its model" });
  await it.order({ type: "end", reason: "it was shut down" });
  await it.order(order);

  const waiting = "working: waits for its model";
  expect(it.shown).toEqual(["idle", "working", waiting, "working", waiting]);
});

test("a member that is spawned again has its new mode, and is shown again as it is", async () => {
  await using it = await openMember();
  await it.start();
  await it.until(({ isBusy }) => !isBusy);

  await it.order({ type: "respawn", mode: "plan" });
  await it.order({ type: "wake" });
  await it.until(({ isBusy }) => !isBusy);

  expect(it.state.mode).toBe("plan");
  expect(it.shown).toEqual(["idle", "idle"]);
});

test("a member that works does not go back, and one that leaves before it could says so", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  const at = new Date(0);
  const back = { type: "rewind", point: { id: newMessageId(at), sentAt: at, seenAt: at } } as const;
  const early = it.order({ ...back, begunAt: at });
  // Its loop has not begun: it is done as soon as the member is stopped.
  await it.order({ type: "leave" });
  await expect(early).rejects.toMatchObject({ code: "team-closed" });

  await using other = await openMember({ runs: ["hangs"] });
  await other.start();
  await other.tell("Go.");
  await other.hanging;
  const late = other.order({ ...back, begunAt: at });
  await expect(late).rejects.toMatchObject({ code: "team-busy" });
});

test("an interruption is shown, counts only for who works, and ends with the next run", async () => {
  await using it = await openMember({ runs: ["hangs", "done"] });
  await it.start();
  await it.until(({ isBusy }) => !isBusy);
  await it.order({ type: "interrupt" });
  expect(it.state.isInterrupted).toBe(false);
  await it.tell("Go.");
  await it.hanging;

  await it.order({ type: "interrupt" });
  await it.until(({ isBusy }) => !isBusy);

  expect(it.state).toMatchObject({ isInterrupted: true, lastEnd: { outcome: "interrupted" } });
  expect(it.shown.at(-1)).toBe("idle: interrupted");
  await it.tell("Go on.");
  await it.rest(2);
  expect(it.state.isInterrupted).toBe(false);
  expect(it.shown.at(-1)).toBe("idle");
});

test("a failed run is shown with its reason, and the next run starts as if nothing had been", async () => {
  await using it = await openMember({ runs: ["failed", "done"] });
  await it.start();
  await it.tell("Go.");
  await it.rest(1);
  expect(it.state.failure).toBe("no key");
  expect(it.shown.at(-1)).toBe("failed: no key");

  await it.tell("Again.");
  await it.rest(2);

  expect(it.state.failure).toBeUndefined();
  expect(it.shown.at(-1)).toBe("idle");
});

test("a member that failed in an earlier process is shown so, and continues nothing by itself", async () => {
  await using it = await openMember({ isOpen: true });
  await it.order({ type: "fail", reason: "no key" });
  await it.start();
  await it.until(({ isBusy }) => !isBusy);

  expect(it.state).toMatchObject({ failure: "no key", runs: 0 });
  expect(it.shown).toEqual(["failed: no key"]);
});

test.each([
  [true, 1],
  [false, 0],
])("a run that was cut short goes on by itself: %s", async (goesOnByItself, runs) => {
  await using it = await openMember({ isOpen: true, goesOnByItself });
  await it.start();
  await it.until((state) => !state.isBusy);

  expect(it.state.runs).toBe(runs);
});

test("a member whose budget is used up does not run, and is shown so", async () => {
  await using it = await openMember({ exhausted: "its budget is used up" });
  await it.start();
  await it.tell("Go.");
  await it.until(({ isBusy }) => !isBusy);

  expect(it.state.runs).toBe(0);
  expect(it.shown).toEqual(["idle: its budget is used up"]);
});

test("a member that ends is interrupted with the reason, settled as ended, and ended once", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  await it.start();
  await it.tell("Go.");
  await it.hanging;

  await it.order({ type: "end", reason: "it was shut down" });
  await it.order({ type: "end", reason: "again" });
  await it.order({ type: "leave" });

  expect(it.stoppedBy).toEqual(["it was shut down"]);
  expect(it.settled).toEqual(["interrupted, ended"]);
  expect(it.closed).toEqual(["end"]);
  expect(it.state).toMatchObject({ hasEnded: true, isBusy: false });
});

test("a member that ends with a run from an earlier process closes it with the reason", async () => {
  await using it = await openMember({ isOpen: true, goesOnByItself: false });
  await it.start();
  await it.until(({ isBusy }) => !isBusy);

  await it.order({ type: "end", reason: "it was shut down" });

  expect(it.settled).toEqual(["interrupted, ended"]);
  expect(it.state.recordedEnd).toMatchObject({ reason: "it was shut down" });
});

test("a member whose process leaves settles nothing, hears no mail, and closes its parts", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  await it.start();
  await it.tell("Go.");
  await it.hanging;

  await it.order({ type: "leave" });
  await it.tell("Too late.");

  expect(it.stoppedBy).toEqual(["leaving"]);
  expect(it.settled).toEqual([]);
  expect(it.closed).toEqual(["close"]);
  expect(it.late).toBe(0);
});

test("a member that makes way closes its open run, settles it, and closes its parts", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  await it.start();
  await it.tell("Go.");
  await it.hanging;

  await it.order({ type: "make-way" });

  expect(it.settled).toEqual(["interrupted, ended"]);
  expect(it.closed).toEqual(["close"]);
  const ended = await openMember();
  await ended.order({ type: "end", reason: "it was shut down" });
  await ended.order({ type: "make-way" });
  expect(ended.closed).toEqual(["end"]);
});

test("a mode that was set still holds for a member that is opened again after a crash", async () => {
  await using it = await openMember({ runs: ["crashes", "done"] });
  await it.order({ type: "set-mode", mode: "plan" });
  await it.start();
  await it.tell("Go.");
  await it.until(({ isBusy, failure }) => !isBusy && failure !== undefined);

  await it.tell("Again.");
  await it.until(({ lastEnd }) => lastEnd?.outcome === "done");

  expect(it.opened).toBe(2);
  expect(it.state.mode).toBe("plan");
});

test("each crash of a run is reported, and the member is opened again for the next run", async () => {
  await using it = await openMember({ runs: ["crashes", "crashes", "done"] });
  await it.start();
  for (const text of ["Go.", "Again."]) {
    await it.tell(text);
    await it.until(({ isBusy, failure }) => !isBusy && failure !== undefined);
  }
  expect(it.crashes).toEqual(["a bug", "a bug"]);
  expect(it.shown.at(-1)).toBe("failed: a bug");
  expect(it.state.lastEnd).toMatchObject({ outcome: "failed", reason: "a bug" });

  await it.tell("Once more.");
  await it.until(({ lastEnd }) => lastEnd?.outcome === "done");

  expect(it.opened).toBe(3);
  expect(it.closed).toEqual(["close", "close"]);
});

test.each([
  ["ends", false],
  ["ends while its process leaves", true],
])("a member that %s has ended when no mail is being taken in any longer", async (_, leaves) => {
  await using it = await openMember();
  await it.start();
  const order: string[] = [];
  it.mailSettled = async () => void order.push("the mail is settled");

  const left = leaves ? it.order({ type: "leave" }) : undefined;
  await it.order({ type: "end", reason: "it was shut down" });
  order.push("it has ended");
  await left;

  expect(order).toEqual(["the mail is settled", "it has ended"]);
});

test("a compaction at rest is shown as work, and is not a run", async () => {
  await using it = await openMember({ runs: ["failed"] });
  await it.start();
  await it.tell("Go.");
  await it.rest(1);

  await it.order({ type: "compact", keep: "the figures" });

  expect(it.state).toMatchObject({
    ...{ runs: 1, failure: "no key", isInterrupted: false },
    lastCompaction: { tokensBefore: 900, tokensAfter: 90 },
  });
  await it.until(({ isBusy }) => !isBusy);
  expect(it.shown.slice(-2)).toEqual(["working: summarizes its conversation", "failed: no key"]);
});

test("a compaction that fails is told to its caller, and changes nothing", async () => {
  await using it = await openMember({ compactions: ["fails"] });
  await it.start();

  await expect(it.order({ type: "compact", keep: undefined })).rejects.toThrow("no connection");

  await it.until(({ isBusy }) => !isBusy);
  expect(it.state).toMatchObject({ lastCompaction: undefined, failure: undefined });
  expect(it.crashes).toEqual([]);
});

test("a compaction that is interrupted leaves its member as it was: it takes work", async () => {
  await using it = await openMember({ compactions: ["hangs"] });
  await it.start();
  const compacted = expect(it.order({ type: "compact", keep: undefined })).rejects.toThrow(
    "stopped",
  );
  await it.hanging;
  expect(it.state).toMatchObject({ isBusy: true, isRunning: true });
  await expect(it.order({ type: "clear" })).rejects.toMatchObject({ code: "team-busy" });

  await it.order({ type: "interrupt" });
  await compacted;

  await it.until(({ isBusy }) => !isBusy);
  expect(it.state.isInterrupted).toBe(false);
  expect(it.shown.at(-1)).toBe("idle");
});

test("an interruption cancels a compaction that waits for a turn, with the run", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  await it.start();
  await it.tell("Go.");
  await it.hanging;
  const compacted = expect(it.order({ type: "compact", keep: undefined })).rejects.toMatchObject({
    code: "compaction-failed",
  });

  await it.order({ type: "interrupt" });
  await compacted;
  await it.until(({ isBusy }) => !isBusy);

  expect(it.state.isInterrupted).toBe(true);
  expect(it.compactions).toBe(0);
});

test("a compaction that no turn has taken is done when the run is over", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  await it.start();
  await it.tell("Go.");
  await it.hanging;
  const compacted = it.order({ type: "compact", keep: "the figures" });
  // The run takes one, and leaves the other.
  const other = it.order({ type: "compact", keep: undefined });
  const taken = it.orders?.takeCompaction();
  expect(taken?.keep).toBe("the figures");
  taken?.resolve({ tokensBefore: 2, tokensAfter: 1 });
  await compacted;
  expect(it.state.lastCompaction).toEqual({ tokensBefore: 2, tokensAfter: 1 });

  await it.order({ type: "end", reason: "it was shut down" });

  await expect(other).rejects.toMatchObject({ code: "team-closed" });
});

test("a conversation is cleared at rest: a run that was cut short is closed and settled before", async () => {
  await using it = await openMember({ isOpen: true, goesOnByItself: false });
  await it.start();

  await it.order({ type: "clear" });

  expect(it.settled).toEqual(["interrupted, alive"]);
  expect(it.events).toEqual([expect.objectContaining({ type: "clear", context_tokens: 100 })]);
});

test.each([{ type: "compact", keep: undefined }, { type: "clear" }] as const)(
  "a run that has ended is settled before a $type, behind which it is not read",
  async (order) => {
    await using it = await openMember({ isUnsettled: true });
    const ordered = it.order(order);
    await it.start();
    await ordered;

    expect(it.settledBefore).toEqual(["done, alive"]);
  },
);

test("a member that works is not cleared", async () => {
  await using it = await openMember({ runs: ["hangs"] });
  await it.start();
  await it.tell("Go.");
  await it.hanging;

  await expect(it.order({ type: "clear" })).rejects.toMatchObject({
    ...{ code: "team-busy", hint: expect.stringContaining("Interrupt it first") },
  });
});

test("a member that has ended is neither compacted nor cleared", async () => {
  await using it = await openMember();
  await it.start();
  await it.order({ type: "end", reason: "it was shut down" });

  for (const order of [{ type: "compact", keep: undefined }, { type: "clear" }] as const) {
    await expect(it.order(order)).rejects.toMatchObject({ code: "team-closed" });
  }
});

test("mail that cannot be read is a warning", async () => {
  await using it = await openMember({ isUnreadable: true });
  await it.start();

  expect(it.warnings).toEqual([expect.stringMatching(/'alice' cannot be read: .*broken/)]);
});

type Step = "done" | "failed" | "hangs" | "crashes";

interface Conduct {
  runs?: Step[];
  /** What happens at each compaction at rest. */
  compactions?: ("done" | "fails" | "hangs")[];
  isOpen?: boolean;
  /** Its last run has ended, and nothing has followed from that. */
  isUnsettled?: boolean;
  goesOnByItself?: boolean;
  exhausted?: string;
  isUnreadable?: boolean;
}

/** A member whose runs a test writes down, over a memory store. */
async function openMember(conduct: Conduct = {}) {
  const { runs = [], isOpen = false, goesOnByItself = true, exhausted, isUnreadable } = conduct;
  const { compactions = [] } = conduct;
  const clock = new ManualClock();
  const store = new MemoryTeamStore({ clock });
  await enlist(store, member("alice"));
  const { reader } = await store.openMember(alice, { onSetAside: () => undefined });
  const post = new Post({ store, secrets: new Secrets([]), clock });
  const it = {
    shown: [] as string[],
    settled: [] as string[],
    /** What was settled before its conversation was changed. */
    settledBefore: [] as string[],
    closed: [] as string[],
    crashes: [] as string[],
    events: [] as AgentEvent[],
    warnings: [] as string[],
    stoppedBy: [] as string[],
    late: 0,
    opened: 0,
    compactions: 0,
    orders: undefined as RunOrders | undefined,
    mailSettled: (): Promise<void> => Promise.resolve(),
    get state(): MemberState {
      return handle.state;
    },
  };
  let onHang = () => {};
  const hanging = new Promise<void>((resolve) => {
    onHang = resolve;
  });
  let end: RecordedEnd | undefined;
  let isSettled = true;
  let isRunOpen = isOpen;
  if (conduct.isUnsettled) {
    [end, isSettled] = [{ outcome: "done", reason: undefined, reportId: undefined }, false];
  }
  const finish = (outcome: RecordedEnd["outcome"], reason?: string): RunEnd => {
    [end, isSettled, isRunOpen] = [{ outcome, reason, reportId: undefined }, false, false];
    return { outcome, answers: [], ...(reason && { reason }) };
  };
  const take = async () => {
    const last = (await reader.unread()).at(-1);
    if (last) await reader.acknowledge(last.message.id);
  };
  const play = async (step: Step, signal: AbortSignal): Promise<RunEnd | undefined> => {
    await take();
    isRunOpen = true;
    if (step === "crashes") throw new Error("a bug");
    if (step === "failed") return finish("failed", "no key");
    if (step === "done") return finish("done");
    const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
    onHang();
    await stopped;
    it.stoppedBy.push(isLeaving(signal) ? "leaving" : (interruptionReason(signal) ?? "the person"));
    return isLeaving(signal) ? undefined : finish("interrupted", interruptionReason(signal));
  };
  const runner = {
    model: "scripted",
    exhausted,
    get lastRun(): LastRun {
      return {
        ...{ answers: [], wakers: new Set(), remindedOf: new Set(), calledTools: new Set() },
        ...{ isOpen: isRunOpen, end, unsettledEnd: isSettled ? undefined : end },
      };
    },
    async *run(signal: AbortSignal, orders?: RunOrders) {
      it.orders = orders;
      const at = clock.now().toISOString();
      yield { type: "turn-start", at, member: alice, turn: 1 } as const;
      return await play(runs.shift() ?? "done", signal);
    },
    async *compact({ resolve, reject }: CompactionOrder, signal: AbortSignal) {
      const at = clock.now().toISOString();
      it.compactions++;
      it.settledBefore.push(...it.settled);
      yield { type: "compaction-start", at, member: alice, context_tokens: 900 } as const;
      const step = compactions.shift() ?? "done";
      if (step === "hangs") {
        const stopped = new Promise((end) => signal.addEventListener("abort", end));
        onHang();
        await stopped;
      }
      if (step === "done") resolve({ tokensBefore: 900, tokensAfter: 90 });
      else reject(new Error(step === "hangs" ? "it was stopped" : "no connection"));
    },
    takeIn: async () => false,
    endRun: async (reason: string) => void finish("interrupted", reason),
    settleRun: async () => {
      isSettled = true;
    },
  };
  const unexpected = () => Promise.reject(new Error("Nobody ordered that"));
  const handle: LocalMember = await LocalMember.open({
    ...{ name: alice, clock, goesOnByItself, isPaused: () => false },
    orders: {
      permission_response: unexpected,
      plan_approval_response: unexpected,
      shutdown_request: unexpected,
      team_permission_update: unexpected,
      withdraw_request: unexpected,
      mode_set_request: unexpected,
      landing_decision: unexpected,
    },
    open: async (carryOut) => {
      it.opened++;
      const inbox = new Inbox(reader, {
        reportMail: async () => {
          if (isUnreadable) throw new Error("broken");
        },
        carryOut,
        isLeaving: () => false,
      });
      let mode: MemberState["mode"] = "default";
      return {
        runner,
        inbox,
        permissions: {
          get mode() {
            return mode;
          },
          rules: [],
          setMode: (next) => {
            mode = next;
          },
          setRules: () => undefined,
        },
        backgroundJobs: [],
        isTellingOfJobs: false,
        noteRunEnd: () => undefined,
        mailSettled: () => it.mailSettled(),
        setModel: async () => undefined,
        rewind: async () => false,
        goBack: async () => undefined,
        clear: async (closeRun) => {
          it.settledBefore.push(...it.settled);
          if (isRunOpen) await closeRun();
          return 100;
        },
        end: async () => void it.closed.push("end"),
        [Symbol.asyncDispose]: async () => void it.closed.push("close"),
      };
    },
    isWorthwhile: (unread, { hasEnded }) => unread.length > 0 && !hasEnded,
    settle: async ({ unsettledEnd }, { hasEnded }) => {
      it.settled.push(`${unsettledEnd?.outcome}, ${hasEnded ? "ended" : "alive"}`);
    },
    onEvent: (event) => it.events.push(event),
    onStatus: (status, detail) => it.shown.push(detail ? `${status}: ${detail}` : status),
    onCrash: (reason) => it.crashes.push(reason),
    onLateMail: () => it.late++,
    onWarning: (message) => it.warnings.push(message),
  });
  const until = (holds: (state: MemberState) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds(handle.state)) return;
        stop();
        resolve();
      };
      const stop = handle.onChange(look);
      look();
    });
  return Object.assign(it, {
    hanging,
    until,
    rest: (count: number) => until((state) => state.runs === count && !state.isBusy),
    order: handle.order.bind(handle),
    start: () => handle.order({ type: "start" }),
    tell: (content: string) =>
      post.send("alice", {
        ...{ type: "message", id: newMessageId(clock.now()), from: user, content },
      }),
    async [Symbol.asyncDispose]() {
      await handle.order({ type: "leave" });
      await store[Symbol.asyncDispose]();
    },
  });
}
