import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, MemberName, newMessageId, user } from "../../src/protocol/ids.ts";
import { readTeamFile } from "../../src/roster/team-file.ts";
import { FileTeamStore } from "../../src/team/file-team-store.ts";
import type { TeamPlace } from "../../src/team/team-place.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore, teamPlace, viewTeam } from "../support/team.ts";

const alice = MemberName.parse("alice");
const ignored = { onSetAside: () => undefined };

test("a fresh start creates a new team, and the old one is complete in the archive", async () => {
  await using directory = await temporaryDirectory();
  const oldId = await liveOnce(directory.path);
  const old = await textsIn(join(directory.path, ".team"));

  await using store = await openFresh(directory.path);

  const team = await store.roster.read();
  expect(team.team_id).not.toBe(oldId);
  expect(team.members).toEqual([]);
  expect(await store.tasks.list()).toEqual([]);
  expect(await store.requests.list()).toEqual([]);
  expect(await store.jobs.list()).toEqual([]);
  expect(await store.usage.totals()).toEqual(new Map());
  const { reader, transcript } = await store.openMember(lead, ignored);
  expect(await reader.unread()).toEqual([]);
  expect(await transcript.tail()).toEqual([]);
  const archived = await textsIn(join(directory.path, ".team/archive/2026-01-01T00-00-00.000Z"));
  expect(archived).toEqual(old);
});

test("the archived team can be moved back and opened", async () => {
  await using directory = await temporaryDirectory();
  const oldId = await liveOnce(directory.path);
  await (await openFresh(directory.path))[Symbol.asyncDispose]();
  const team = join(directory.path, ".team");
  await rename(join(team, "archive", "2026-01-01T00-00-00.000Z"), join(directory.path, "back"));
  await rm(team, { recursive: true });
  await rename(join(directory.path, "back"), team);

  await using store = await openStore(directory.path);

  expect((await store.roster.read()).team_id).toBe(oldId);
  const { reader } = await store.openMember(alice, ignored);
  expect(await reader.unread()).toMatchObject([{ message: { from: "user", content: "waits" } }]);
});

test("the archive is private", async () => {
  await using directory = await temporaryDirectory();
  await liveOnce(directory.path);
  const umask = process.umask(0o022);
  try {
    await using _store = await openFresh(directory.path);
  } finally {
    process.umask(umask);
  }

  for (const path of ["archive", "archive/2026-01-01T00-00-00.000Z"]) {
    const { mode } = await stat(join(directory.path, ".team", path));
    expect((mode & 0o777).toString(8)).toBe("700");
  }
});

test("two fresh starts at the same moment archive two teams", async () => {
  await using directory = await temporaryDirectory();
  const first = await liveOnce(directory.path);
  const store = await openFresh(directory.path);
  const second = (await store.roster.read()).team_id;
  await store[Symbol.asyncDispose]();

  await using _store = await openFresh(directory.path);

  const archive = join(directory.path, ".team", "archive");
  const ids = [];
  for (const name of (await readdir(archive)).sort()) {
    ids.push((await readTeamFile(join(archive, name)))?.team.team_id);
  }
  expect(ids).toEqual([first, second]);
});

test("a fresh start works if both rosters are damaged", async () => {
  await using directory = await temporaryDirectory();
  await liveOnce(directory.path);
  for (const name of ["config.json", "config.last-good.json"]) {
    await writeFile(join(directory.path, ".team", name), "oops");
  }
  await expect(openStore(directory.path)).rejects.toMatchObject({ code: "config-invalid" });

  await using store = await openFresh(directory.path);

  expect((await store.roster.read()).members).toEqual([]);
});

test("P09 a fresh start is refused while a lead lives, and moves nothing", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));

  await expect(openFresh(directory.path)).rejects.toMatchObject({ code: "lead-alive" });

  expect((await viewTeam(directory.path).team()).members).toHaveLength(1);
  expect(await readdir(join(directory.path, ".team"))).not.toContain("archive");
});

test("a fresh start without a team archives mail that was put there", async () => {
  await using directory = await temporaryDirectory();
  await writeByHand(directory.path, "waiting by hand");

  await using store = await openFresh(directory.path);

  const { reader } = await store.openMember(lead, ignored);
  expect(await reader.unread()).toEqual([]);
  expect(await readdir(join(directory.path, ".team"))).toContain("archive");
});

test.each(["inbox", "tasks", "transcripts"])(
  "%s of a team without a roster are archived with one warning, and a new team starts",
  async (part) => {
    await using directory = await temporaryDirectory();
    await liveOnce(directory.path);
    const team = join(directory.path, ".team");
    for (const name of await readdir(team)) {
      if (name !== part && name !== "fence") await rm(join(team, name), { recursive: true });
    }
    const left = await textsIn(team);
    const warnings: string[] = [];

    await using store = await openStore(directory.path, {
      clock: new ManualClock(),
      onWarning: (message) => warnings.push(message),
    });

    expect(await store.tasks.list()).toEqual([]);
    const ofLead = await store.openMember(lead, ignored);
    expect(await ofLead.reader.unread()).toEqual([]);
    expect(await ofLead.transcript.tail()).toEqual([]);
    expect(await textsIn(join(team, "archive", "2026-01-01T00-00-00.000Z"))).toEqual(left);
    expect(warnings).toEqual([expect.stringContaining(`had ${part} of a team without a roster`)]);
  },
);

function openFresh(root: string, options: Partial<TeamPlace> = {}): Promise<FileTeamStore> {
  return FileTeamStore.open(teamPlace(root, { clock: new ManualClock(), ...options }), {
    fresh: true,
  });
}

/** Lets a team do a little of everything, and returns its id. */
async function liveOnce(root: string): Promise<string> {
  await using store = await openStore(root);
  await enlist(store, member("alice"));
  const ofLead = await store.openMember(lead, ignored);
  await ofLead.transcript.append([{ type: "run-start", at: new Date().toISOString() }]);
  await store.send("lead", { type: "message", from: user, content: "unread" });
  await store.send("alice", { type: "message", from: user, content: "waits" });
  await store.tasks.create({ subject: "a task", created_by: lead });
  await store.requests.open({ type: "plan", from: alice, to: lead, subject: { plan: "1. …" } });
  const at = new Date();
  await store.jobs.add({
    id: "0a1b2c3d",
    member: alice,
    command: "sleep 1000",
    started_at: at.toISOString(),
    message_id: newMessageId(at),
  });
  store.events.append({ type: "run-start", at: at.toISOString(), member: alice });
  return (await store.roster.read()).team_id;
}

async function writeByHand(root: string, line: string): Promise<void> {
  await mkdir(join(root, ".team", "inbox"), { recursive: true });
  await writeFile(join(root, ".team", "inbox", "lead.jsonl"), `${line}\n`);
}

/** Every file below `root` that is a team's, and its text. */
async function textsIn(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const texts: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isFile() && !/^(fence|archive|\.gitignore)/.test(name)) {
      texts[name] = await readFile(path, "utf8");
    }
  }
  return texts;
}
