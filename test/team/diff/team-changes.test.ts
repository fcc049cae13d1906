import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../../src/protocol/transcript.ts";
import { type WorkspaceDiff, workspaceDiff } from "../../../src/team/diff/workspace-diff.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { PromptedTeam } from "../../support/prompted-team.ts";
import { viewTeam } from "../../support/team.ts";

const env = { PATH: process.env.PATH, HOME: "/nowhere" };
const aboutCommands = "Changes made by commands are not shown: that needs git.";
const notPrompted = "You have not prompted this team yet, so there are no changes to show.";

test("outside of git the changes of the team's tools since the last prompt are shown", async () => {
  await using it = await promptedTeam();
  await it.team.prompt("Write.");
  await it.team.change({ "before.txt": "x\n", "twice.txt": "one\n", "gone.txt": "x\ny\n" });
  const at = it.team.now;
  await it.team.prompt("Change it.");
  await it.team.change({ "twice.txt": "two\n" });
  await it.team.change({ "twice.txt": "two\nthree\n", "new.txt": "new\n", "gone.txt": undefined });
  await it.team.change({ "passing.txt": "x\n" });
  await it.team.change({ "passing.txt": undefined });

  const diff = await it.diff();

  expect(diff).toMatchObject({ more: 0, notes: [aboutCommands] });
  expect(diff.since).toEqual({ type: "prompt", at, text: "Change it." });
  expect(diff.files.map(({ path, change, texts }) => [path, change, texts])).toEqual([
    ["gone.txt", "removed", { before: "x\ny\n", after: "" }],
    ["new.txt", "added", { before: "", after: "new\n" }],
    ["twice.txt", "changed", { before: "one\n", after: "two\nthree\n" }],
  ]);
});

test.each([
  { what: "a broadcast of the person", mail: { type: "broadcast" }, counts: true },
  { what: "a message of a teammate", mail: { from: "alice" }, counts: false },
  { what: "a broadcast of a teammate", mail: { from: "alice", type: "broadcast" }, counts: false },
  { what: "a notification", mail: { type: "idle_notification" }, counts: false },
] as const)("$what starts the changes anew: $counts", async ({ mail, counts }) => {
  await using it = await promptedTeam();
  await it.team.prompt("First.");
  await it.team.change({ "a.txt": "a\n" });
  await it.team.record(it.team.delivery({ content: "Second.", ...mail }));
  await it.team.change({ "b.txt": "b\n" });

  const diff = await it.diff();

  expect(diff.since).toMatchObject({ text: counts ? "Second." : "First." });
  expect(pathsOf(diff)).toEqual(counts ? ["b.txt"] : ["a.txt", "b.txt"]);
});

test("a prompt that came with the result of a call counts, and the mail around it does not", async () => {
  await using it = await promptedTeam();
  const mail = [
    it.team.received({ content: "Of alice.", from: "alice" }),
    it.team.received({ content: "Second." }),
  ];
  const result = { call_id: "call-1", output: "", is_error: false } as const;
  await it.team.prompt("First.");
  await it.team.record({ type: "tool-result", at: it.team.now, ...result, mail });
  await it.team.record({ type: "tool-result", at: it.team.now, ...result });

  expect((await it.diff()).since).toMatchObject({ type: "prompt", text: "Second." });
});

/** The prompts by number; `back 2` is a rewind that takes two entries back, `-` is any other entry. */
test.each([
  ["1 2 - back:2", "1"],
  ["1 2 - back:2 3", "3"],
  ["1 2 back:1 3 back:1", "1"],
  ["1 2 back:1 - back:3", "1"],
  ["1 2 3 back:2 back:1", "1"],
  ["1 2 3 back:1 -", "2"],
  ["1 - back:2", undefined],
])("after going back in %s the changes are those since prompt %s", async (story, prompt) => {
  await using it = await promptedTeam();
  const entries = story.split(" ").map((step): TranscriptEntry => {
    const [name = "", voids] = step.split(":");
    if (name === "-") return { type: "note", at: it.team.now, text: "note", wakes: false };
    if (name === "back")
      return { type: "rewind", at: it.team.now, voids: Number(voids), delivered: [] };
    return it.team.delivery({ content: name });
  });
  await it.team.record(...entries);

  const { since } = await it.diff();

  expect(since).toMatchObject(prompt ? { type: "prompt", text: prompt } : { type: "nothing" });
});

test("a prompt is found below hundreds of entries", async () => {
  await using it = await promptedTeam();
  await it.team.prompt("Long ago.");
  const note = { type: "note", at: it.team.now, text: "note", wakes: false } as const;
  await it.team.record(...Array.from({ length: 450 }, () => note));

  expect((await it.diff()).since).toMatchObject({ type: "prompt", text: "Long ago." });
});

test("changes are limited to the workspace, and to the path that is asked for", async () => {
  await using it = await promptedTeam();
  const other = join(it.team.root, "..", "other");
  await mkdir(other);
  await it.team.prompt("Write.");
  await it.team.change({
    "a.txt": "a\n",
    "in/b.txt": "b\n",
    "in/c.txt": "c\n",
    "inner.txt": "d\n",
  });
  await it.team.change({ "elsewhere.txt": "e\n" }, other);

  expect(pathsOf(await it.diff())).toEqual(["a.txt", "in/b.txt", "in/c.txt", "inner.txt"]);
  expect(pathsOf(await it.diff({ path: "in" }))).toEqual(["in/b.txt", "in/c.txt"]);
  expect(pathsOf(await it.diff({ path: "in/c.txt" }))).toEqual(["in/c.txt"]);
  expect(pathsOf(await it.diff({ path: it.team.path("in") }))).toEqual(["in/b.txt", "in/c.txt"]);
});

test("a team that was not prompted has no changes, and the person is told why", async () => {
  await using it = await promptedTeam();
  await it.team.change({ "a.txt": "a\n" });

  expect(await it.diff()).toEqual({
    ...{ since: { type: "nothing" }, files: [], more: 0, notes: [notPrompted] },
  });
});

test("a team of somebody else shows nothing", async () => {
  await using it = await promptedTeam();
  await it.team.prompt("Write.");
  await it.team.change({ "a.txt": "a\n" });
  const keyPlace = { ...it.team.place.keyPlace, stateHome: join(it.team.root, "other-state") };

  const view = viewTeam(it.team.root, { keyPlace });
  const diff = await workspaceDiff(view, { workspace: it.team.root, env });

  expect(diff).toMatchObject({ since: { type: "nothing" }, files: [], notes: [notPrompted] });
});

test("a file whose earlier content was a secret is only named", async () => {
  await using it = await promptedTeam();
  await it.team.change({ ".env": "a-password-of-the-person\n" });
  await it.team.prompt("Change it.");
  await it.team.change({ ".env": "another\n" });

  const { files } = await it.diff();

  const reason = "its earlier content is not kept";
  expect(files).toEqual([
    { path: ".env", change: "changed", texts: undefined, reason, added: 0, removed: 0 },
  ]);
});

test("where the first changes are no longer known, that is said", async () => {
  await using it = await promptedTeam({ changes: 4, bytes: 1_000 });
  await it.team.prompt("Write.");
  for (let number = 0; number < 20; number++) await it.team.change({ "a.txt": `${number}\n` });

  const { notes } = await it.diff();

  expect(notes).toEqual([
    aboutCommands,
    "There were so many changes that the earliest are no longer known.",
  ]);
});

test("of very many files the first 500 are shown, and the others counted", async () => {
  await using it = await promptedTeam();
  await it.team.prompt("Write.");
  const names = Array.from({ length: 502 }, (_, index) => `${index}.txt`);
  await it.team.change(Object.fromEntries(names.map((name) => [name, "x\n"])));

  const { files, more } = await it.diff();

  expect([files.length, more]).toEqual([500, 2]);
});

async function promptedTeam(limits?: { changes: number; bytes: number }) {
  const directory = await temporaryDirectory();
  const team = await PromptedTeam.make(directory.path, limits);
  return {
    team,
    diff: (options: { path?: string } = {}): Promise<WorkspaceDiff> =>
      workspaceDiff(team.view, { workspace: team.root, env, ...options }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function pathsOf({ files }: WorkspaceDiff): string[] {
  return files.map(({ path }) => path);
}
