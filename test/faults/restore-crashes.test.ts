import { existsSync } from "node:fs";
import { cp, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sweepCrashes, type Trial } from "../../soak/sweep.ts";
import { TeamError } from "../../src/errors.ts";
import { lead, user } from "../../src/protocol/ids.ts";
import { readTeamFile } from "../../src/roster/team-file.ts";
import { FileTeamStore } from "../../src/team/file-team-store.ts";
import { restoreTeam } from "../../src/team/restore-team.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { successorProcess, textsIn } from "../support/stored-team.ts";
import { enlist, member, teamPlace } from "../support/team.ts";

const archived = "2026-01-01T00-00-00.000Z";

test("a crash at any change of the disk leaves the present team, or the next start has the archived one", async () => {
  const { hits, violations, presents } = await sweep((root) =>
    restoreTeam(placeOf(root), archived),
  );

  expect(violations).toEqual([]);
  expect(presents).toEqual(new Set(["first", "second"]));
  expect(hits).toBeGreaterThan(20);
});

test("to repeat the call after a crash has the archived team back, wherever it died", async () => {
  const { hits, violations, presents } = await sweep(
    (root) => restoreTeam(placeOf(root), archived),
    (root) => restoreTeam(placeOf(root), archived).catch(unlessBack),
  );

  expect(violations).toEqual([]);
  expect(presents).toEqual(new Set(["first"]));
  expect(hits).toBeGreaterThan(20);
});

/** The archive has it no more if the process died after the exchange. */
function unlessBack(error: unknown): void {
  if (!(error instanceof TeamError) || error.code !== "team-missing") throw error;
}

test("control: teams that are exchanged without a record are found mixed or lost", async () => {
  const { violations } = await sweep(async (root) => {
    const team = join(root, ".team");
    const old = join(team, "archive", archived);
    for (const name of await readdir(old)) {
      if (existsSync(join(team, name))) await rename(join(team, name), join(root, name));
      await rename(join(old, name), join(team, name));
    }
  });

  expect(violations).not.toEqual([]);
});

/** Dies at each change of `act`. `repeat` is what is done after that, before the next start. */
async function sweep(
  act: (root: string) => Promise<void>,
  repeat?: (root: string) => Promise<void>,
) {
  const presents = new Set<"first" | "second">();
  using faulty = await FaultyFileSystem.install();
  await using template = await temporaryDirectory();
  await live(template.path, "first");
  const first = await teamIn(template.path);
  await live(template.path, "second", { fresh: true });
  const second = await teamIn(template.path);
  const prepare = async (root: string): Promise<Trial> => {
    await cp(template.path, root, { recursive: true });
    return {
      act: () => act(root),
      recover: repeat ? () => repeat(root) : async () => (await open(root))[Symbol.asyncDispose](),
      goOn: async () => undefined,
      async violations() {
        await (await open(root))[Symbol.asyncDispose]();
        presents.add((await teamIn(root)).id === first.id ? "first" : "second");
        return findViolations(root, first, second);
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
  // A repetition does what the next start does: a crash in that is tested with the start.
  const recoveryStride = repeat ? 1_000 : 7;
  const result = await sweepCrashes({ faulty, prepare, recoveryStride, writtenShares: [0] });
  return { ...result, presents };
}

type StoredTeam = Awaited<ReturnType<typeof teamIn>>;

/** One team is in the directory, whole, and the other one in the archive, whole. */
async function findViolations(root: string, ...teams: StoredTeam[]): Promise<string[]> {
  const now = await teamIn(root);
  const isPresent = ({ id }: StoredTeam) => id === now.id;
  if (teams.filter(isPresent).length !== 1) return ["neither of the teams is in the directory"];
  const inArchive = await archivedIn(root);
  const violations = existsSync(join(root, ".team", "restore.json")) ? ["it is not finished"] : [];
  for (const team of teams) {
    const known = isPresent(team) ? now.files : inArchive;
    for (const [name, text] of team.files) {
      if (known.get(name) !== text) violations.push(`${name} of ${team.id} is lost`);
    }
  }
  return violations;
}

async function teamIn(root: string) {
  const directory = join(root, ".team");
  const roster = await readTeamFile(directory);
  const without = ["archive", "fence", ".gitignore"];
  return { id: roster?.team.team_id, files: await textsIn(directory, without) };
}

/** The only archived team that has files. */
async function archivedIn(root: string): Promise<Map<string, string>> {
  const archive = join(root, ".team", "archive");
  const texts = new Map<string, string>();
  for (const name of await readdir(archive)) {
    for (const [path, text] of await textsIn(join(archive, name))) texts.set(path, text);
  }
  return texts;
}

function placeOf(root: string) {
  return teamPlace(root, {
    clock: new ManualClock(),
    processes: successorProcess,
    onWarning: () => undefined,
  });
}

const open = (root: string, options = {}) => FileTeamStore.open(placeOf(root), options);

async function live(root: string, subject: string, options = {}): Promise<void> {
  await using store = await open(root, options);
  const at = "2026-01-01T00:00:00.000Z";
  await enlist(store, member("alice"));
  const { transcript } = await store.openMember(lead, { onSetAside: () => undefined });
  await transcript.append([{ type: "note", at, text: subject, wakes: false }]);
  await store.send("alice", { type: "message", from: user, content: subject });
  await store.tasks.create({ subject, created_by: lead });
  await store.requests.open({ type: "plan", from: lead, to: user, subject: { plan: subject } });
}
