import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inWords, isTeamName, requireTeamShape } from "../../src/team/team-shape.ts";
import { exampleTeam } from "../../src/testing/conformance/roster.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openStore } from "../support/team.ts";

const uuid = "019b78c9-0a80-7982-9914-3907359dc4e0";

test.each([
  ...["config.json", "config.last-good.json", "events.jsonl", "usage.jsonl", ".gitignore"],
  ...["inbox", "transcripts", "tasks", "requests", "background", "crons", "outputs", "fence"],
  ...[".events", ".usage", "archive", `config.json.${uuid}.tmp`, "events.jsonl.damaged-2026"],
])("%s is a team's", (name) => {
  expect(isTeamName(name)).toBe(true);
});

test.each(["notes.txt", "config.json.bak", "src", "inbox.old", ""])("%j is no team's", (name) => {
  expect(isTeamName(name)).toBe(false);
});

test.each<[string, string[], string[]]>([
  ["inbox", ["alice.jsonl", ".alice"], ["Alice.jsonl", "notes.txt"]],
  ["transcripts", ["lead.jsonl"], ["lead.json"]],
  ["tasks", ["1.json", ".versions", `12.json.${uuid}.tmp`], ["one.json", "1.jsonl"]],
  ["requests", [`${uuid}.json`, ".versions"], ["1.json"]],
  ["background", ["alice-0a1b2c3d.json"], ["alice.json"]],
  ["crons", ["0a1b2c3d.json"], ["daily.json"]],
  ["outputs", ["anything.txt"], ["anything.md"]],
  ["fence", ["lead.json", "heartbeat", ".versions"], ["bob.json"]],
  [".events", ["000001.jsonl", "torn.jsonl", "torn.older.jsonl"], ["1.jsonl"]],
  [".usage", ["000001.jsonl"], ["notes"]],
  ["archive", ["anything", "at all"], []],
  ["src", [], ["main.ts"]],
])("in %s, a team keeps %j, and not %j", (directory, own, foreign) => {
  for (const name of own) expect([name, isTeamName(name, directory)]).toEqual([name, true]);
  for (const name of foreign) expect([name, isTeamName(name, directory)]).toEqual([name, false]);
});

test("a directory is a team's where it has nothing else, whatever systems leave in it", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "inbox"));
  for (const name of [".DS_Store", "inbox/Thumbs.db", "inbox/alice.jsonl"]) {
    await writeFile(join(directory.path, name), "");
  }
  await requireTeamShape(directory.path);

  for (const name of ["a", "inbox/b", "c", "d"]) await writeFile(join(directory.path, name), "");

  await expect(requireTeamShape(directory.path)).rejects.toMatchObject({
    code: "team-unusable",
    message: expect.stringMatching(/it has a, c, d and 1 more$/),
  });
});

test("a team with other things beside it is one, but for a link in the place of its own", async () => {
  await using directory = await temporaryDirectory();
  await (await openStore(directory.path))[Symbol.asyncDispose]();
  const team = join(directory.path, ".team");
  await writeFile(join(team, "notes.txt"), "");
  await symlink("notes.txt", join(team, "link"));
  await requireTeamShape(team);

  await symlink("notes.txt", join(team, "config.json.damaged-1"));

  await expect(requireTeamShape(team)).rejects.toMatchObject({
    message: expect.stringContaining("config.json.damaged-1 is a symbolic link"),
  });
});

test("of many names the first three are listed", () => {
  expect(inWords(["a", "b", "c"])).toBe("a, b, c");
  expect(inWords(["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
});

test("a roster of a newer troupe is refused as such, and a damaged one is left to be reported", async () => {
  await using directory = await temporaryDirectory();
  const roster = join(directory.path, "config.json");
  await writeFile(join(directory.path, "notes.txt"), "");
  await writeFile(roster, JSON.stringify({ ...exampleTeam(), format: 999 }));

  await expect(requireTeamShape(directory.path)).rejects.toMatchObject({ code: "format-newer" });

  await writeFile(roster, "{");
  await expect(requireTeamShape(directory.path)).rejects.toMatchObject({ code: "team-unusable" });
});
