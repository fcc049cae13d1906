import { mkdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HeldFence } from "../../src/fence/fence.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { heartbeatIn, Machine } from "./machines.ts";

test("a holder beats every 2 s", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await using held = await machine.open(directory.path).acquire();
  expect(await heartbeatIn(directory.path)).toMatchObject({ epoch: held.epoch, beat: 1 });

  machine.clock.advance(2_000);
  await machine.clock.waiting();

  expect(await heartbeatIn(directory.path)).toMatchObject({ epoch: held.epoch, beat: 2 });
});

test("a lead that was suspended while another took over learns it before it writes", async () => {
  await using directory = await temporaryDirectory();
  const sleeper = new Machine("there");
  await using held = await sleeper.open(directory.path).acquire();
  await using successor = await takeOver(directory.path);

  // The clocks show how long it slept before any timer of its own has run.
  sleeper.clock.jump(40_000);

  await expect(held.check()).rejects.toMatchObject({
    code: "fence-lost",
    message: expect.stringContaining("pid 100 on here has taken over"),
  });
  expect(held.lost.reason).toMatchObject({ code: "fence-lost" });
  await successor.check();
});

test("a lead that was suspended while another took over does not overwrite the successor's heartbeat", async () => {
  await using directory = await temporaryDirectory();
  const sleeper = new Machine("there");
  await using held = await sleeper.open(directory.path).acquire();
  await using successor = await takeOver(directory.path);
  const heartbeat = await heartbeatIn(directory.path);
  const lost = new Promise((resolve) => held.lost.addEventListener("abort", resolve));

  sleeper.clock.advance(2_000);
  await lost;
  await held[Symbol.asyncDispose]();

  expect(await heartbeatIn(directory.path)).toEqual(heartbeat);
  expect(heartbeat.epoch).toBe(successor.epoch);
  expect(sleeper.clock.pending).toBe(0);
});

test("a lead that was suspended without a takeover continues and beats again", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await using held = await machine.open(directory.path).acquire();

  machine.clock.advance(3_600_000);
  await held.check();
  await machine.clock.waiting();

  expect(await heartbeatIn(directory.path)).toMatchObject({ epoch: held.epoch, beat: 2 });
});

test("a lead whose record was removed has lost the fence", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await using held = await machine.open(directory.path).acquire();
  const lost = new Promise((resolve) => held.lost.addEventListener("abort", resolve));

  await rm(join(directory.path, "lead.json"));
  await rm(join(directory.path, ".versions"), { recursive: true });
  machine.clock.advance(2_000);
  await lost;

  await expect(held.check()).rejects.toMatchObject({ code: "fence-lost" });
});

test("heartbeats that cannot be written are reported once and end nothing", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await using held = await machine.open(directory.path).acquire();
  const heartbeat = join(directory.path, "heartbeat");
  await rm(heartbeat);
  await mkdir(heartbeat);

  for (let beat = 0; beat < 10; beat++) {
    machine.clock.advance(2_000);
    await machine.clock.waiting();
  }
  await held.check();

  expect(machine.notices).toEqual([expect.stringContaining("heartbeat cannot be written")]);
  await rmdir(heartbeat);
  machine.clock.advance(2_000);
  await machine.clock.waiting();
  expect(await heartbeatIn(directory.path)).toMatchObject({ epoch: held.epoch });
  expect(held.lost.aborted).toBe(false);
});

test("a lead trusts its last heartbeat for 4 s and then checks again", async () => {
  await using directory = await temporaryDirectory();
  const there = new Machine("there");
  await using held = await there.open(directory.path).acquire();
  await using _successor = await takeOver(directory.path);

  there.clock.jump(3_999);
  await held.check();
  there.clock.jump(1);

  await expect(held.check()).rejects.toMatchObject({ code: "fence-lost" });
});

test("release awaits the heartbeat in progress and leaves no timer behind", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  const held = await machine.open(directory.path).acquire();
  expect(machine.clock.pending).toBe(1);

  machine.clock.advance(2_000);
  await held[Symbol.asyncDispose]();

  expect(await heartbeatIn(directory.path)).toMatchObject({ beat: 2 });
  expect(machine.clock.pending).toBe(0);
});

/** Another machine, long after, follows a holder that does not beat. */
async function takeOver(directory: string): Promise<HeldFence> {
  const here = new Machine("here");
  const { clock } = here;
  clock.advance(31_000);
  const attempt = here.open(directory).acquire();
  for (let second = 0; second < 5; second++) {
    await clock.waiting();
    clock.advance(1_000);
  }
  await clock.waiting(2);
  clock.advance(4_000);
  const held = await attempt;
  await clock.waiting();
  return held;
}
