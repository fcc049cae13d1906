import { describe, expect, test } from "vitest";
import type {
  CompactionOrder,
  CompactionReport,
  RunEnd,
  Runner,
  RunOrders,
} from "../../agent/runner.ts";
import { interrupt, leave } from "../../lib/leaving.ts";
import type { AgentEvent } from "../../protocol/events.ts";

/** What the runner's model or agent does at each request, one entry each. */
export type RunnerScript = readonly ({ says: string } | "hangs" | "fails")[];

/** A runner with an empty transcript. */
export interface RunnerFixture extends AsyncDisposable {
  readonly runner: Runner;
  /** Sends mail from the person to the runner's member. */
  tell(content: string): Promise<unknown>;
  /** Resolves when the model or agent has started to hang. */
  readonly hanging: Promise<void>;
  /** Opens another runner on the same transcript, like the next process. */
  reopen(): Promise<Runner>;
}

/** The promises in runner.ts, one test each. */
export function testRunner(
  name: string,
  open: (script: RunnerScript) => Promise<RunnerFixture>,
): void {
  describe(`${name} keeps the runner's promises`, () => {
    test("a run answers its mail, and its end is returned until it is settled", async () => {
      await using fixture = await open([{ says: "Done." }]);
      await fixture.tell("Go.");

      const { end, events } = await run(fixture.runner);

      expect(end).toMatchObject({ outcome: "done", answers: ["Done."] });
      expect(events.at(0)?.type).toBe("run-start");
      expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
      expect(lastRun(await fixture.reopen())).toMatchObject({
        answers: ["Done."],
        isOpen: false,
        end: { outcome: "done" },
        unsettledEnd: { outcome: "done" },
      });
    });

    test("a settled run stays settled", async () => {
      await using fixture = await open([{ says: "Done." }]);
      await fixture.tell("Go.");
      await run(fixture.runner);

      await fixture.runner.settleRun();

      expect(fixture.runner.lastRun.unsettledEnd).toBeUndefined();
      expect((await fixture.reopen()).lastRun.unsettledEnd).toBeUndefined();
    });

    test("an interrupted run ends, and its end says by whom", async () => {
      await using fixture = await open(["hangs"]);
      await fixture.tell("Go.");

      const { end } = await run(fixture.runner, async (stop) => {
        await fixture.hanging;
        interrupt(stop, "it was shut down");
      });

      expect(end).toMatchObject({ outcome: "interrupted", reason: "it was shut down" });
      expect((await fixture.reopen()).lastRun.end).toMatchObject({ outcome: "interrupted" });
    });

    test("a run stays open when its process exits, and continues in the next process", async () => {
      await using fixture = await open(["hangs", { says: "Done after all." }]);
      await fixture.tell("Go.");

      expect((await leaveRun(fixture)).end).toBeUndefined();

      const next = await fixture.reopen();
      expect(next.lastRun.isOpen).toBe(true);
      expect((await run(next)).end).toMatchObject({ answers: ["Done after all."] });
    });

    test("an open run can be ended instead of continued", async () => {
      await using fixture = await open(["hangs"]);
      await fixture.tell("Go.");
      await leaveRun(fixture);
      const next = await fixture.reopen();

      await next.endRun("another one of its name is spawned");

      expect(lastRun(next)).toMatchObject({
        isOpen: false,
        end: { outcome: "interrupted", reason: "another one of its name is spawned" },
      });
    });

    test("a failure of the model or agent is an outcome with its reason", async () => {
      await using fixture = await open(["fails"]);
      await fixture.tell("Go.");

      const { end } = await run(fixture.runner);

      expect(end).toMatchObject({ outcome: "failed", reason: expect.stringMatching(/./) });
    });

    test("chosen mail can be taken without a run, and is not delivered again", async () => {
      await using fixture = await open([{ says: "I know of both." }]);
      await fixture.tell("One.");
      await fixture.tell("Two.");

      expect(await fixture.runner.takeIn(() => 1)).toBe(true);
      expect(await fixture.runner.takeIn((unread) => (unread.length === 1 ? 0 : 1))).toBe(false);

      expect(fixture.runner.lastRun.isOpen).toBe(false);
      const { events } = await run(fixture.runner);
      expect(events.filter(({ type }) => type === "message-delivered")).toHaveLength(1);
    });

    test("a compaction at rest changes nothing of the last run, in the next process too", async () => {
      await using fixture = await open([{ says: long }, { says: "A summary." }, { says: "Yes." }]);
      await fixture.tell("Go.");
      await run(fixture.runner);
      await fixture.runner.settleRun();
      const before = lastRun(fixture.runner);

      const { report } = await compact(fixture.runner);

      expect(report).toEqual({
        tokensBefore: expect.any(Number),
        tokensAfter: expect.any(Number),
      });
      expect(lastRun(fixture.runner)).toEqual(before);
      const next = await fixture.reopen();
      expect(lastRun(next)).toEqual(before);
      await fixture.tell("Are you there?");
      expect((await run(next)).end).toMatchObject({ answers: ["Yes."] });
    });

    test("a compaction that fails, or that has nothing to summarize, is rejected", async () => {
      await using fixture = await open([{ says: long }, "fails"]);
      expect((await compact(fixture.runner)).error).toMatchObject({ code: "conversation-short" });
      await fixture.tell("Go.");
      await run(fixture.runner);

      const { error } = await compact(fixture.runner);

      expect(error).toMatchObject({ code: "compaction-failed" });
      expect(fixture.runner.lastRun.end).toMatchObject({ outcome: "done" });
    });

    test("a compaction that is stopped is rejected", async () => {
      await using fixture = await open([{ says: long }, "hangs"]);
      await fixture.tell("Go.");
      await run(fixture.runner);

      const { error } = await compact(fixture.runner, async (stop) => {
        await fixture.hanging;
        interrupt(stop);
      });

      expect(error).toMatchObject({ code: "compaction-failed" });
    });

    test("a run carries out a compaction that is ordered, or leaves it for later", async () => {
      await using fixture = await open([{ says: long }, { says: "A summary." }, { says: "Done." }]);
      await fixture.tell("Go.");
      await run(fixture.runner);
      await fixture.tell("Go on.");
      const { order, settled } = orderOf();
      const waiting = [order];

      const { end } = await run(fixture.runner, undefined, {
        takeCompaction: () => waiting.shift(),
      });
      if (waiting.length > 0) return expect(end).toMatchObject({ outcome: "done" });

      expect((await settled).report).toBeDefined();
      expect(end).toMatchObject({ answers: ["Done."] });
    });
  });
}

/** So much that a summary of it is shorter. */
const long = "A long answer. ".repeat(200);

type Settled = { report?: CompactionReport; error?: unknown };

function orderOf(): { order: CompactionOrder; settled: Promise<Settled> } {
  let settle: (settled: Settled) => void = () => undefined;
  const settled = new Promise<Settled>((resolve) => {
    settle = resolve;
  });
  const order = {
    keep: undefined,
    resolve: (report: CompactionReport) => settle({ report }),
    reject: (error: unknown) => settle({ error }),
  };
  return { order, settled };
}

/** Has the conversation summarized, and resolves to how that went. */
async function compact(
  runner: Runner,
  stop: (work: AbortController) => Promise<void> = async () => undefined,
): Promise<Settled> {
  const controller = new AbortController();
  const { order, settled } = orderOf();
  const stopping = stop(controller);
  for await (const { type } of runner.compact(order, controller.signal)) {
    expect(type).not.toBe("run-start");
  }
  await stopping;
  return settled;
}

function lastRun({ lastRun: run }: Runner) {
  const { answers, isOpen, end, unsettledEnd } = run;
  return { answers, isOpen, end, unsettledEnd };
}

/** Runs until the model or agent hangs, then exits. */
function leaveRun({ runner, hanging }: RunnerFixture) {
  return run(runner, async (stop) => {
    await hanging;
    leave(stop);
  });
}

/** Runs to the end, or until `stop` is aborted. */
async function run(
  runner: Runner,
  stop: (run: AbortController) => Promise<void> = async () => undefined,
  orders?: RunOrders,
): Promise<{ end: RunEnd | undefined; events: AgentEvent[] }> {
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  const running = runner.run(controller.signal, orders);
  const stopping = stop(controller);
  for (let next = await running.next(); ; next = await running.next()) {
    if (next.done) {
      await stopping;
      return { end: next.value, events };
    }
    events.push(next.value);
  }
}
