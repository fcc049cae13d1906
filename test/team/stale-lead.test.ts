import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import type { FileTeamStore } from "../../src/team/file-team-store.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { Machine } from "../fence/machines.ts";
import { member, openStore } from "../support/team.ts";

const at = new Date(0).toISOString();

test("P09 a lead that was suspended while another took over can no longer write", async () => {
  await using directory = await temporaryDirectory();
  await using sleeper = await openOn(directory.path, new Machine("one"));
  const { reader, transcript } = await sleeper.store.openMember(lead, ignored);
  const sent = await sleeper.store.send("lead", { type: "message", from: user, content: "hi" });
  const task = await sleeper.store.tasks.create({ subject: "a task", created_by: lead });
  const request = await sleeper.store.requests.open({
    type: "plan",
    from: MemberName.parse("alice"),
    to: lead,
    subject: { plan: "1. …" },
  });
  await reader.unread();

  await using _successor = await takeOver(directory.path, sleeper.machine);

  await expectLost([
    () => sleeper.store.roster.update((team) => ({ ...team, members: [member("alice")] })),
    () => sleeper.store.tasks.claim(task.id, { by: lead }),
    () =>
      sleeper.store.requests.decide(request.id, {
        by: lead,
        state: "approved",
        hash: request.hash,
      }),
    () => sleeper.store.usage.record({ ...call, member: lead }),
    () => transcript.append([{ type: "run-start", at }]),
    () => reader.acknowledge(sent.id),
  ]);
  expect(sleeper.store.lost.aborted).toBe(true);
});

test("a lead that was not replaced keeps writing, however long it was suspended", async () => {
  await using directory = await temporaryDirectory();
  await using sleeper = await openOn(directory.path, new Machine("one"));

  sleeper.machine.clock.jump(24 * 60 * 60 * 1000);

  await sleeper.store.tasks.create({ subject: "a task", created_by: lead });
  expect(sleeper.store.lost.aborted).toBe(false);
});

const ignored = { onSetAside: () => undefined };
const call = { type: "call", at, model: "a model", ...tokens() } as const;

function tokens() {
  return { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 };
}

async function openOn(root: string, machine: Machine) {
  const store: FileTeamStore = await openStore(root, { clock: machine.clock, processes: machine });
  return { store, machine, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** Another machine takes over after a day of silence; then the sleeper wakes, a day later too. */
async function takeOver(root: string, asleep: Machine) {
  const machine = new Machine("two");
  const day = 24 * 60 * 60 * 1000;
  machine.clock.jump(day);
  let isOpen = false;
  const opening = openStore(root, {
    clock: machine.clock,
    processes: machine,
    onWarning: () => undefined,
  }).finally(() => {
    isOpen = true;
  });
  await machine.clock.advanceUntil(() => isOpen);
  asleep.clock.jump(day);
  return opening;
}

async function expectLost(writes: (() => Promise<unknown>)[]): Promise<void> {
  for (const write of writes) await expect(write()).rejects.toMatchObject({ code: "fence-lost" });
}
