import { hostname } from "node:os";
import { describe, expect } from "vitest";
import type { Fence } from "../../fence/fence.ts";
import { testWith } from "./test-with.ts";

/** An empty fence. `reopen` opens the same one as a second process. */
export interface FenceFixture extends AsyncDisposable {
  fence: Fence;
  reopen?(): Promise<Fence>;
}

/** The promises in fence.ts, one test each. */
export function testFence(name: string, open: () => Promise<FenceFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the fence's promises`, () => {
    test("nobody holds a new fence", async ({ fence }) => {
      expect(await fence.look()).toBeUndefined();
    });

    test("the holder is seen with its pid and may write", async ({ fence }) => {
      await using held = await fence.acquire();

      await held.check();
      expect(held.lost.aborted).toBe(false);
      expect(await fence.look()).toEqual({
        epoch: held.epoch,
        host: hostname(),
        pid: process.pid,
        isAlive: true,
      });
    });

    test("a second lead is refused, with the first one's pid and host", async ({ fence }) => {
      await using held = await fence.acquire();

      await expect(fence.acquire()).rejects.toMatchObject({
        code: "lead-alive",
        message: expect.stringContaining(`pid ${process.pid} on ${hostname()}`),
        hint: expect.stringMatching(/./),
      });
      await held.check();
    });

    test("exactly one of many contenders acquires the fence", async ({ fence }) => {
      const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => fence.acquire()));

      const winners = attempts.filter(({ status }) => status === "fulfilled");
      const refusals = attempts.flatMap((it) => (it.status === "rejected" ? [it.reason] : []));
      expect(winners).toHaveLength(1);
      expect(refusals).toEqual(Array(19).fill(expect.objectContaining({ code: "lead-alive" })));
      for (const it of attempts) {
        if (it.status === "fulfilled") await it.value[Symbol.asyncDispose]();
      }
    });

    test("a released fence is free, and the next epoch is higher", async ({ fence }) => {
      const first = await fence.acquire();

      await first[Symbol.asyncDispose]();

      expect(await fence.look()).toBeUndefined();
      await using second = await fence.acquire();
      expect(second.epoch).toBeGreaterThan(first.epoch);
    });

    test("releasing again does not end the hold of a successor", async ({ fence }) => {
      const first = await fence.acquire();
      await first[Symbol.asyncDispose]();
      await using second = await fence.acquire();

      await first[Symbol.asyncDispose]();

      await second.check();
      expect(await fence.look()).toMatchObject({ epoch: second.epoch });
    });

    test("after its release a holder may no longer write, and the fence does not count as lost", async ({
      fence,
    }) => {
      const held = await fence.acquire();

      await held[Symbol.asyncDispose]();

      await expect(held.check()).rejects.toMatchObject({ code: "fence-lost" });
      expect(held.lost.aborted).toBe(false);
    });

    test("an aborted attempt does not acquire the fence", async ({ fence }) => {
      await expect(fence.acquire(AbortSignal.abort("enough"))).rejects.toBe("enough");

      expect(await fence.look()).toBeUndefined();
    });

    test("a second process sees the holder and is refused", async (fixture, { skip }) => {
      if (!fixture.reopen) return skip("backend lives in one process");
      await using held = await fixture.fence.acquire();
      const other = await fixture.reopen();

      expect(await other.look()).toMatchObject({ epoch: held.epoch, isAlive: true });
      await expect(other.acquire()).rejects.toMatchObject({ code: "lead-alive" });
    });
  });
}
