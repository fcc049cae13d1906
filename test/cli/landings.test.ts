import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LandingDraft } from "../../src/landing/landings.ts";
import { CommitId, lead } from "../../src/protocol/ids.ts";
import { landingIsOff } from "../../src/protocol/landing.ts";
import type { TeamStore } from "../../src/team/team-store.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { landEdits } from "../support/landed.ts";
import { alice, bob, commitEdits, type FileEdits, pictureOf, target } from "../support/landings.ts";
import { gitIn, makeRepository, openGit } from "../support/repository.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

/** A repository whose team has alice and bob, with a checkout each. */
async function openTeam(path: string): Promise<{ root: string; store: TeamStore }> {
  const root = await makeRepository(path, {
    "a.txt": "one\ntwo\n",
    ".gitignore": "state\n.team\n",
  });
  const store = await openStore(root);
  await enlist(store, member("alice"), member("bob"));
  const base = CommitId.parse(await gitIn(root, "rev-parse", "HEAD"));
  for (const id of [alice, bob]) {
    await store.checkouts.put({
      ...{ id, state: "ready", path: join(root, "state", id), base, earlier: [], incarnation: "1" },
      ...{ repository: join(root, ".git"), target, branch: `troupe/${id}` },
    });
  }
  return { root, store };
}

async function take(
  { root, store }: { root: string; store: TeamStore },
  edits: FileEdits,
  draft: Partial<LandingDraft> = {},
) {
  const index = join(root, ".git", "work-index");
  const git = await openGit(root);
  const commit = await commitEdits(git, { parents: ["HEAD"], edits, index });
  const base = CommitId.parse(await gitIn(root, "rev-parse", "HEAD"));
  const ref = `refs/troupe/x/${draft.member ?? alice}/1`;
  return await store.landings.take({ member: alice, ref, commit, base, target, ...draft });
}

const waiting = { reason: landingIsOff };

test("changes lists the work of members with what can be done, and shows one in full", async () => {
  await using directory = await temporaryDirectory();
  const team = await openTeam(directory.path);
  await using store = team.store;
  const { id, version } = await take(team, { "a.txt": "one\n2\n", "new.txt": "n\n" }, waiting);
  const landed = await take(team, { "b.txt": "b\n" }, { member: bob });
  await store.landings.move(landed, { state: "landed" });

  const { out, code } = await troupe(team.root, "changes");
  const one = await troupe(team.root, "changes", "alice");
  const diff = await troupe(team.root, "changes", "@alice", "--diff");
  await store.landings.move(
    { id, version },
    { state: "conflict", onto: landed.commit, files: ["a.txt"] },
  );
  const conflict = await troupe(team.root, "changes");
  const json = JSON.parse((await troupe(team.root, "changes", "--json")).out.join("\n"));

  expect(code).toBe(0);
  expect(out).toEqual([
    "  1  alice  waits for you      2 files, +2 -1",
    "  2  bob    on troupe/default  1 file, +1 -0",
    "",
    "troupe changes alice --diff shows every line of one.",
    "troupe land alice lets it land; troupe discard alice leaves it out.",
    "troupe land brings troupe/default to the branch that you have checked out.",
  ]);
  expect(one.out).toEqual([
    "Landing 1 of alice: waits for you",
    "kept as refs/troupe/x/alice/1",
    "  a.txt +1 -1",
    "  new.txt (new) +1 -0",
    "troupe land alice lets it land; troupe discard alice leaves it out.",
  ]);
  expect(diff.out.some((line) => /\+ *2$/.test(line))).toBe(true);
  expect(conflict.out.slice(0, 2)).toEqual([
    "  1  alice  in conflict with troupe/default  2 files, +2 -1",
    "       a.txt",
  ]);
  expect(json).toMatchObject([
    { id: "1", state: "conflict", files: ["a.txt"], changes: [{ path: "a.txt" }, {}] },
    { id: "2", state: "landed", changes: [{ path: "b.txt", change: "added" }] },
  ]);
});

test("without work from checkouts, each command says so", async () => {
  await using directory = await temporaryDirectory();
  const { root, store } = await openTeam(directory.path);
  await using _ = store;

  expect((await troupe(root, "changes")).out).toEqual([
    "No member has handed in work from a checkout of its own.",
  ]);
  expect((await troupe(root, "land")).out).toEqual([
    "Nothing has landed yet: troupe changes shows what there is.",
  ]);
  expect((await troupe(root, "land", "--all")).out).toEqual(["Nothing waits for your decision."]);
  expect((await troupe(root, "discard", "alice")).err.join("\n")).toMatch(
    /'alice' has handed in nothing to land/,
  );
});

test("land and discard leave the person's word for the process that runs the team", async () => {
  await using directory = await temporaryDirectory();
  const team = await openTeam(directory.path);
  await using store = team.store;
  const { commit } = await take(team, { "a.txt": "one\n2\n" }, waiting);
  await take(team, { "b.txt": "b\n" }, { member: bob });

  const one = await troupe(team.root, "land", "alice");
  const all = await troupe(team.root, "land", "--all", "--json");
  const onItsWay = await troupe(team.root, "land", "bob");
  const no = await troupe(team.root, "discard", "alice", "--reason", "Too much");
  const both = await troupe(team.root, "land", "alice", "--all");

  expect(one.out).toEqual([
    "The work of alice (landing 1) may land on troupe/default.",
    expect.stringMatching(/^The process that runs the team \(pid \d+\) carries it out/),
  ]);
  expect(JSON.parse(all.out.join("\n"))).toMatchObject({
    decided: [{ id: "1", member: "alice", commit, decision: "land" }],
    running: { pid: process.pid },
  });
  expect(onItsWay.out).toEqual([
    "The work of bob (landing 2) is on its way to troupe/default already.",
  ]);
  expect(no.out[0]).toBe(
    "The work of alice (landing 1) does not land. It is kept as refs/troupe/x/alice/1.",
  );
  expect(both.code).toBe(2);
  const { reader } = await store.openMember(lead, { onSetAside: () => undefined });
  expect((await reader.unread()).map(({ message }) => message)).toMatchObject([
    { type: "landing_decision", landing_id: "1", commit, decision: "land" },
    { type: "landing_decision", landing_id: "1", commit, decision: "land" },
    { type: "landing_decision", landing_id: "1", decision: "discard", reason: "Too much" },
  ]);
});

test("land without a name brings what has landed to the branch, or says what is in the way", async () => {
  await using directory = await temporaryDirectory();
  const team = await openTeam(directory.path);
  await using store = team.store;
  const landed = await take(team, { "a.txt": "one\n2\n" });
  await store.landings.move(landed, { state: "landed" });
  await landEdits(team.root, { "a.txt": "one\n2\n", "new.txt": "n\n" });
  await writeFile(join(team.root, "a.txt"), "mine\n");

  const blocked = await troupe(team.root, "land");
  await gitIn(team.root, "checkout", "-q", "--", "a.txt");
  const done = await troupe(team.root, "land");
  const again = await troupe(team.root, "land", "--json");

  expect(blocked.code).toBe(1);
  expect(blocked.out).toEqual([
    "main stays where it is, so that nothing of yours is lost. In the way of troupe/default:",
    "  a.txt: you have changed it",
    "Commit, stash or move them, then troupe land again. Or let git do it: git merge troupe/default",
  ]);
  expect(done).toMatchObject({
    code: 0,
    out: ["main is at troupe/default now: 2 files changed.", "  a.txt", "  new.txt"],
  });
  expect(await readFile(join(team.root, "new.txt"), "utf8")).toBe("n\n");
  expect(JSON.parse(again.out.join("\n"))).toEqual([{ target, branch: "main", type: "nothing" }]);
});

test("land outside of the repository says so, and changes nothing", async () => {
  await using directory = await temporaryDirectory();
  const team = await openTeam(join(directory.path, "work"));
  await using store = team.store;
  await store.landings.move(await take(team, { "a.txt": "one\n2\n" }), { state: "landed" });
  await landEdits(team.root, { "a.txt": "one\n2\n" });
  const before = await pictureOf(team.root);

  const { code, err } = await troupe(team.root, "land", "--cwd", directory.path);

  expect(code).toBe(1);
  expect(err[0]).toBe("error: There is no git repository here");
  expect(await pictureOf(team.root)).toEqual(before);
});

test("checkouts are listed with their sizes, and --clean leaves those of living members", async () => {
  await using directory = await temporaryDirectory();
  const { root, store } = await openTeam(directory.path);
  await using _ = store;
  const path = join(root, "state", "alice");
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "big.bin"), Buffer.alloc(2_000_000, 1));

  const listed = await troupe(root, "checkouts");
  const cleaned = await troupe(root, "checkouts", "--clean");
  const json = JSON.parse((await troupe(root, "checkouts", "--json")).out.join("\n"));

  expect(listed.out[0]).toMatch(/^ {2}alice {2}2\.00? MB {2}\d{4}-\d\d-\d\d [\d:]+ {2}\/.*alice$/);
  expect(listed.out[1]).toMatch(/^In all 2\.0 MB\.$/);
  expect(cleaned.out).toEqual(["There are no retired checkouts."]);
  expect(json).toMatchObject([{ member: "alice", state: "ready", path }]);
  expect(await readdir(path)).toEqual(["big.bin"]);
});
