import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTeam } from "../../../src/team/view/opened-team.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { enlist, member, openStore, teamPlace } from "../../support/team.ts";

test("a team is opened once, as long as nothing in its roster changes", async () => {
  await using root = await temporaryDirectory();
  await using store = await openStore(root.path);
  const place = teamPlace(root.path);
  const first = await openTeam(place, undefined);

  const again = await openTeam(place, Promise.resolve(first));
  expect(again).toBe(first);
  await enlist(store, member("alice"));
  const changed = await openTeam(place, Promise.resolve(first));

  expect(changed.team.members).toMatchObject([{ name: "alice" }]);
  expect(changed.parts).toBe(first.parts);
  expect(changed.directory).toBe(first.directory);
  expect(changed.key).not.toBe(first.key);
});

test("nothing of another team in the same place is kept", async () => {
  await using root = await temporaryDirectory();
  const place = teamPlace(root.path);
  await (await openStore(root.path))[Symbol.asyncDispose]();
  const first = await openTeam(place, undefined);
  const team = place.directory;

  await rename(team, join(root.path, "aside"));
  await (await openStore(root.path))[Symbol.asyncDispose]();
  const other = await openTeam(place, Promise.resolve(first));
  expect(other.team.team_id).not.toBe(first.team.team_id);
  expect(other.directory).not.toBe(first.directory);
  expect(other.parts).not.toBe(first.parts);

  // The very same team in another directory: its files are others.
  await rm(team, { recursive: true });
  await rename(join(root.path, "aside"), team);
  const back = await openTeam(place, Promise.resolve(other));
  expect(back.team).toEqual(first.team);
  expect(back.parts).not.toBe(other.parts);
  // Another team's roster in the same directory.
  const names = ["config.json", "config.last-good.json"];
  const copy = JSON.stringify({ ...other.team });
  for (const name of names) await writeFile(join(team, name), copy);
  const replaced = await openTeam(place, Promise.resolve(back));
  expect([replaced.directory, replaced.team.team_id]).toEqual([back.directory, other.team.team_id]);
  expect(replaced.parts).not.toBe(back.parts);
});

test("an opening that failed does not matter to the next one", async () => {
  await using root = await temporaryDirectory();
  const place = teamPlace(root.path);
  const before = openTeam(place, undefined);
  await expect(before).rejects.toMatchObject({ code: "team-missing" });
  await using store = await openStore(root.path);

  const { team } = await openTeam(place, before);

  expect(team.team_id).toBe((await store.roster.read()).team_id);
});

test("a place without a team, or that is a file, is an error with a hint", async () => {
  await using root = await temporaryDirectory();
  await (await openStore(root.path))[Symbol.asyncDispose]();
  const place = teamPlace(root.path);
  for (const name of ["config.json", "config.last-good.json"]) {
    await rm(join(place.directory, name));
  }
  await expect(openTeam(place, undefined)).rejects.toMatchObject({ code: "team-missing" });

  await rm(place.directory, { recursive: true });
  const missing = { code: "team-missing", hint: expect.stringContaining("--team-dir") };
  await expect(openTeam(place, undefined)).rejects.toMatchObject(missing);
  await writeFile(place.directory, "");
  await expect(openTeam(place, undefined)).rejects.toMatchObject({
    ...{ code: "team-unusable", message: expect.stringContaining("is a file") },
  });
});

test("whether a team is the person's is reported at once", async () => {
  await using root = await temporaryDirectory();
  await (await openStore(root.path))[Symbol.asyncDispose]();
  await rm(join(root.path, "state"), { recursive: true });
  const warnings: string[] = [];
  const place = teamPlace(root.path, { onWarning: (message) => warnings.push(message) });

  const { key } = await openTeam(place, undefined);
  expect(await key.verifier()).toBeUndefined();

  expect(warnings).toEqual([expect.stringContaining("not known to be yours")]);
});
