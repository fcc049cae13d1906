import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sweepCrashes, type Trial } from "../../soak/sweep.ts";
import { lead, user } from "../../src/protocol/ids.ts";
import { readTeamFile } from "../../src/roster/team-file.ts";
import { FileTeamStore } from "../../src/team/file-team-store.ts";
import { makeDirectories } from "../../src/team/prepare-directory.ts";
import { setTeamAside } from "../../src/team/set-team-aside.ts";
import { teamLayout } from "../../src/team/team-layout.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { successorProcess, textsIn } from "../support/stored-team.ts";
import { enlist, member, teamPlace } from "../support/team.ts";

test("a crash at any change of the disk in a fresh start loses nothing and mixes nothing", async () => {
  const { hits, violations } = await sweep((root) => clearDirectory(root, { fresh: true }));

  expect(violations).toEqual([]);
  expect(hits).toBeGreaterThan(0);
});

test("control: a team whose roster is moved last continues without its parts", async () => {
  const { violations } = await sweep(async (root) => {
    const team = join(root, ".team");
    const names = (await readdir(team)).filter((name) => name !== "fence");
    await mkdir(join(team, "archive", "old"), { recursive: true });
    for (const name of names.sort().reverse()) {
      await rename(join(team, name), join(team, "archive", "old", name));
    }
  });

  expect(violations).toContainEqual(expect.stringContaining("goes on without tasks/1.json"));
});

test("control: a dropped file is found missing", async () => {
  const { violations } = await sweep(async (root) => {
    const team = join(root, ".team");
    await rename(join(team, "tasks"), join(root, "dropped"));
    await rename(join(team, "config.json"), join(root, "dropped.json"));
  });

  expect(violations).toContainEqual(expect.stringContaining("tasks/1.json is lost"));
});

async function sweep(act: (root: string) => Promise<void>) {
  using faulty = await FaultyFileSystem.install();
  await using template = await temporaryDirectory();
  await liveOnce(template.path);
  const old = await teamIn(template.path);
  const prepare = async (root: string): Promise<Trial> => {
    await cp(template.path, root, { recursive: true });
    return {
      act: () => act(root),
      recover: () => clearDirectory(root, { fresh: false }),
      goOn: async () => undefined,
      async violations() {
        await (await openTeam(root))[Symbol.asyncDispose]();
        return findViolations(root, old);
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
  return await sweepCrashes({ faulty, prepare, recoveryStride: 5 });
}

interface StoredTeam {
  id: string | undefined;
  /** The text of each file. */
  files: ReadonlyMap<string, string>;
}

async function findViolations(root: string, old: StoredTeam): Promise<string[]> {
  const now = await teamIn(root);
  const archived = await archivedIn(root);
  const violations: string[] = [];
  for (const [name, text] of old.files) {
    const isInPlace = now.files.get(name) === text;
    if (!isInPlace && !archived.has(`${name}: ${text}`)) violations.push(`${name} is lost`);
    if (!isInPlace && now.id === old.id) violations.push(`the old team goes on without ${name}`);
    if (isInPlace && now.id !== old.id) violations.push(`the new team has the old ${name}`);
  }
  return violations;
}

async function teamIn(root: string): Promise<StoredTeam> {
  const files = await textsIn(join(root, ".team"), ["archive", "fence", ".gitignore"]);
  const roster = await readTeamFile(join(root, ".team"));
  return { id: roster?.team.team_id, files };
}

/** Each archived file with its text, whichever team it is of. */
async function archivedIn(root: string): Promise<Set<string>> {
  const archive = join(root, ".team", "archive");
  const files = existsSync(archive) ? await textsIn(archive) : [];
  return new Set([...files].map(([name, text]) => `${name.replace(/^[^/]+\//, "")}: ${text}`));
}

function openTeam(root: string): Promise<FileTeamStore> {
  const clock = new ManualClock();
  return FileTeamStore.open(
    teamPlace(root, { clock, processes: successorProcess, onWarning: () => undefined }),
  );
}

/** The part of a start that makes and moves directories. */
async function clearDirectory(root: string, { fresh }: { fresh: boolean }): Promise<void> {
  const layout = teamLayout(join(root, ".team"));
  await makeDirectories(layout);
  await setTeamAside({
    layout,
    clock: new ManualClock(),
    check: async () => undefined,
    onWarning: () => undefined,
    fresh,
  });
}

async function liveOnce(root: string): Promise<void> {
  await using store = await openTeam(root);
  const at = "2026-01-01T00:00:00.000Z";
  await enlist(store, member("alice"));
  const { transcript } = await store.openMember(lead, { onSetAside: () => undefined });
  await transcript.append([{ type: "run-start", at }]);
  await store.send("alice", { type: "message", from: user, content: "waits" });
  await store.tasks.create({ subject: "a task", created_by: lead });
  await store.requests.open({ type: "plan", from: lead, to: user, subject: { plan: "1." } });
  store.events.append({ type: "run-start", at, member: lead });
}
