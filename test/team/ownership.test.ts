import { readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findOwnership, foreignTeam } from "../../src/team/ownership.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore, teamPlace } from "../support/team.ts";

test("a directory without a roster is nobody's, and one with the person's key is theirs", async () => {
  await using it = await closedTeam();

  expect(await it.find()).toMatchObject({ type: "own", teamId: it.teamId });
  for (const name of ["config.json", "config.last-good.json"]) await rm(join(it.team, name));
  expect(await it.find()).toEqual({ type: "none" });
});

test("a team whose key is elsewhere is foreign, and so is one that was changed", async () => {
  await using it = await closedTeam();
  const paths = ["config.json", "config.last-good.json"].map((name) => join(it.team, name));
  const originals = await Promise.all(paths.map((path) => readFile(path, "utf8")));

  for (const [index, path] of paths.entries()) {
    const changed = JSON.parse(originals[index] ?? "");
    changed.sig = "0".repeat(String(changed.sig).length);
    await writeFile(path, JSON.stringify(changed));
  }
  expect(await it.find()).toMatchObject({
    ...{ type: "foreign", reason: "it is not signed with its key" },
    team: { team_id: it.teamId },
  });

  await rm(join(it.root, "state"), { recursive: true });
  expect(await it.find()).toMatchObject({
    ...{ type: "foreign", reason: expect.stringMatching(/its key .* is not on this machine/) },
  });
});

test("the last good roster proves a team whose roster is damaged, missing or foreign", async () => {
  await using it = await closedTeam();
  const roster = join(it.team, "config.json");
  const { sig: _, ...unsigned } = JSON.parse(await readFile(roster, "utf8"));
  const own = { type: "own", teamId: it.teamId };

  await writeFile(roster, JSON.stringify(unsigned));
  expect(await it.find()).toMatchObject(own);
  await writeFile(roster, "{damaged");
  expect(await it.find()).toMatchObject(own);
  await rm(roster);
  expect(await it.find()).toMatchObject(own);
  await writeFile(join(it.team, "config.last-good.json"), "{damaged");
  expect(await it.find()).toEqual({ type: "none" });
});

test("a roster that is a link is an error, whatever is behind it", async () => {
  await using it = await closedTeam();
  const roster = join(it.team, "config.json");
  await rename(roster, join(it.root, "elsewhere.json"));
  await symlink(join(it.root, "elsewhere.json"), roster);

  await expect(it.find()).rejects.toMatchObject({ code: "team-unusable" });
});

test("the refusal of a foreign team tells who is in it, and how to go on", async () => {
  await using it = await closedTeam();
  await rm(join(it.root, "state"), { recursive: true });
  const found = await it.find();
  if (found.type !== "foreign") throw new Error("It is known");

  const { message, code, hint } = foreignTeam("/repo/.team", found);

  expect(code).toBe("team-foreign");
  expect(message).toContain("The team in /repo/.team is not yours: its key");
  expect(message).toContain("Its teammates: alice (coder); bob (tester, a/b).");
  expect(hint).toMatch(/--fresh.*--take-over/);
  const empty = { ...found, team: { ...found.team, members: [] } };
  expect(foreignTeam("/repo/.team", empty).message).toContain("It has no teammates.");
});

/** The directory of a team of this person that nobody runs. */
async function closedTeam() {
  const directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("alice"), { ...member("bob", "idle", "tester"), model: "a/b" });
  const { team_id: teamId } = await store.roster.read();
  await store[Symbol.asyncDispose]();
  const place = teamPlace(directory.path);
  return {
    ...{ teamId, root: directory.path, team: place.directory },
    find: () => findOwnership(place.directory, place),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
