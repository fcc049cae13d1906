import { describe, expect, test } from "vitest";
import { WakeLatch } from "../../lib/wake-latch.ts";
import type { MessageId } from "../../protocol/ids.ts";
import { isBusy, isFree, type MemberHandle } from "../../team/members/member-handle.ts";
import type { RunnerScript } from "./runner.ts";

/** A member that has not been started. */
export interface MemberHandleFixture extends AsyncDisposable {
  readonly handle: MemberHandle;
  /** Sends mail from the person to the member. Resolves to its id. */
  tell(content: string): Promise<MessageId>;
  /** Resolves when the model or agent has started to hang. */
  readonly hanging: Promise<void>;
}

/** The promises in member-handle.ts, one test each. */
export function testMemberHandle(
  name: string,
  open: (script: RunnerScript) => Promise<MemberHandleFixture>,
): void {
  /** A member that has been started, and has mail. */
  const startWith = async (script: RunnerScript) => {
    const fixture = await open(script);
    await fixture.tell("Go.");
    await fixture.handle.order({ type: "start" });
    return fixture;
  };
  describe(`${name} keeps the promises of a member's handle`, () => {
    test("a started member handles its mail, then is idle", async () => {
      await using fixture = await startWith([{ says: "Done." }]);
      const { handle } = fixture;
      await until(handle, () => handle.state.runs === 1 && !isBusy(handle));

      expect(handle.state).toMatchObject({
        lastAnswer: "Done.",
        lastEnd: { outcome: "done", answers: ["Done."] },
        recordedEnd: { outcome: "done" },
        isCutShort: false,
        hasEnded: false,
      });
      expect(isFree(handle)).toBe(true);
    });

    test("a member's state has the position up to which it has read its mail", async () => {
      await using fixture = await open([{ says: "Done." }]);
      const { handle } = fixture;
      expect(handle.state.lookedAt).toBeUndefined();
      const id = await fixture.tell("Go.");

      await handle.order({ type: "start" });
      await until(handle, () => !isBusy(handle));

      expect(handle.state.lookedAt).toBe(id);
    });

    test("an order has taken effect once its promise resolves", async () => {
      await using fixture = await open([]);
      const { handle } = fixture;
      const rule = { decision: "allow", text: "bash(ls:*)" } as const;

      await handle.order({ type: "set-mode", mode: "plan" });
      await handle.order({ type: "set-rules", rules: [rule, { ...rule, decision: "deny" }] });
      await handle.order({ type: "set-rules", rules: [rule] });

      expect(handle.state.mode).toBe("plan");
      expect(handle.state.rules).toEqual([expect.objectContaining(rule)]);
    });

    test("an interrupted member takes no work until it gets mail", async () => {
      await using fixture = await startWith(["hangs", { says: "Done." }]);
      const { handle } = fixture;
      await fixture.hanging;

      await handle.order({ type: "interrupt" });
      await until(handle, () => !isBusy(handle));

      expect(handle.state).toMatchObject({
        isInterrupted: true,
        lastEnd: { outcome: "interrupted" },
      });
      expect(isFree(handle)).toBe(false);
      await fixture.tell("Go on.");
      await until(handle, () => handle.state.runs === 2 && !isBusy(handle));
      expect(handle.state).toMatchObject({ isInterrupted: false, lastAnswer: "Done." });
    });

    test("the state of a failed member has the reason", async () => {
      await using fixture = await startWith(["fails"]);
      const { handle } = fixture;
      await until(handle, () => handle.state.failure !== undefined && !isBusy(handle));

      expect(handle.state.failure).toMatch(/./);
      expect(isFree(handle)).toBe(false);
    });

    test("a member that is removed in mid-run does not run again", async () => {
      await using fixture = await startWith(["hangs", { says: "Never." }]);
      const { handle } = fixture;
      await fixture.hanging;

      await handle.order({ type: "end", reason: "it was shut down" });

      expect(handle.state).toMatchObject({ hasEnded: true, isCutShort: false });
      expect(isBusy(handle)).toBe(false);
      await fixture.tell("Are you there?");
      await handle.order({ type: "wake" });
      expect(handle.state.runs).toBe(1);
    });

    test("the run of a member stays open when its process exits", async () => {
      await using fixture = await startWith(["hangs"]);
      const { handle } = fixture;
      await fixture.hanging;

      await handle.order({ type: "leave" });

      expect(handle.state).toMatchObject({ hasEnded: true, isCutShort: true });
    });

    test("a member that is compacted is idle again, and handles its mail", async () => {
      const script = [{ says: long }, { says: "A summary." }, { says: "Done." }];
      await using fixture = await startWith(script);
      const { handle } = fixture;
      await until(handle, () => handle.state.runs === 1 && !isBusy(handle));

      await handle.order({ type: "compact", keep: "the figures" });

      expect(handle.state).toMatchObject({
        ...{ runs: 1, lastEnd: { outcome: "done" } },
        lastCompaction: { tokensBefore: expect.any(Number), tokensAfter: expect.any(Number) },
      });
      await until(handle, () => !isBusy(handle));
      expect(isFree(handle)).toBe(true);
      await fixture.tell("Go on.");
      await until(handle, () => handle.state.runs === 2 && !isBusy(handle));
      expect(handle.state.lastAnswer).toBe("Done.");
    });

    test("a member that is cleared is idle, and handles its mail", async () => {
      await using fixture = await startWith([{ says: "Done." }, { says: "Done again." }]);
      const { handle } = fixture;
      await until(handle, () => handle.state.runs === 1 && !isBusy(handle));

      await handle.order({ type: "clear" });

      await until(handle, () => !isBusy(handle));
      expect(isFree(handle)).toBe(true);
      expect(handle.state).toMatchObject({ runs: 1, isCutShort: false });
      await fixture.tell("Go on.");
      await until(handle, () => handle.state.runs === 2 && !isBusy(handle));
      expect(handle.state.lastAnswer).toBe("Done again.");
    });

    test("a member's state is plain data", async () => {
      await using fixture = await startWith([{ says: "Done." }]);
      const { handle } = fixture;
      await until(handle, () => handle.state.runs === 1 && !isBusy(handle));

      const { state } = handle;

      expect(structuredClone(state)).toEqual(state);
    });
  });
}

/** So much that a summary of it is shorter. */
const long = "A long answer. ".repeat(200);

/** Resolves when `holds` returns true. It is checked after every change of the member. */
async function until(handle: MemberHandle, holds: () => boolean): Promise<void> {
  const latch = new WakeLatch();
  const stop = handle.onChange(() => latch.wake());
  while (!holds()) await latch.next();
  stop();
}
