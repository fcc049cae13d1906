import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FenceHolder } from "../../../src/fence/fence.ts";
import { lead } from "../../../src/protocol/ids.ts";
import { FileTeamChanges } from "../../../src/team/view/file-team-changes.ts";
import type { TeamChange } from "../../../src/team/view/team-view.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";

test("a change in a directory is reported again after a second, in case of another at the same moment", async () => {
  await using it = await openChanges();
  const toldOf = () => it.told.filter(({ type }) => type === "tasks").length;
  await it.until("mail", 1);

  await writeFile(join(it.directory, "tasks/1.json"), "{}");
  await it.clock.advanceUntil(() => toldOf() === 1, 100);
  const firstMs = it.clock.monotonicMs();
  await it.clock.advanceUntil(() => toldOf() === 2, 100);

  expect(it.clock.monotonicMs() - firstMs).toBe(1_000);
});

test("a lead is looked for every two seconds, and told when it is another one", async () => {
  await using it = await openChanges();
  await it.until("lead", 1);
  const looksBefore = it.looks;

  it.clock.advance(1_999);
  expect(it.looks).toBe(looksBefore);
  it.clock.advance(1);
  await it.clock.waitingFor(2_000);
  it.holder = { pid: 7 };
  it.clock.advance(2_000);
  await it.until("lead", 2);
  it.holder = undefined;
  it.clock.advance(2_000);

  await it.until("lead", 3);
  expect(it.told.filter(({ type }) => type === "lead")).toHaveLength(3);
});

test("mail is told when it is watched first, and whenever it comes", async () => {
  await using it = await openChanges();
  await it.until("mail", 1);

  await writeFile(join(it.directory, "inbox/lead.jsonl"), "hi\n");
  const toldOf = () => it.told.filter(({ type }) => type === "mail").length;
  await it.clock.advanceUntil(() => toldOf() > 1, 100);

  expect(it.told).toContainEqual({ type: "mail", member: lead });
});

test("without listeners nothing is watched or reported", async () => {
  await using it = await openChanges();
  await it.until("lead", 1);
  await it.until("mail", 1);

  it.stop();
  it.stop();

  expect(it.clock.pending).toBe(0);
});

/** The changes of a team directory with a roster and the folders of a team, and its listener. */
async function openChanges() {
  const root = await temporaryDirectory();
  const directory = root.path;
  for (const name of ["inbox", "tasks", "requests"]) await mkdir(join(directory, name));
  const clock = new ManualClock();
  const told: TeamChange[] = [];
  const waiting = new Set<() => void>();
  let looks = 0;
  let holder: Pick<FenceHolder, "pid"> | undefined;
  const changes = new FileTeamChanges({
    directory,
    clock,
    members: async () => [lead],
    lead: async () => {
      looks++;
      return holder as FenceHolder | undefined;
    },
  });
  const stop = changes.add((change) => {
    told.push(change);
    for (const look of [...waiting]) look();
  });
  return {
    directory,
    clock,
    told,
    stop,
    get looks() {
      return looks;
    },
    set holder(value: Pick<FenceHolder, "pid"> | undefined) {
      holder = value;
    },
    /** Resolves when so many changes of a type were told. */
    until: (type: TeamChange["type"], count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (told.filter((change) => change.type === type).length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      stop();
      await root[Symbol.asyncDispose]();
    },
  };
}
