import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

test("below the directory of a team, a command that finds none names that directory", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const below = join(directory.path, "src", "deep");
  await mkdir(below, { recursive: true });

  const { code, err } = await troupe(below, "team");

  expect(code).toBe(2);
  expect(err.at(-1)).toBe(`There is one in ${directory.path}.`);
  const named = await troupe(below, "team", "--team-dir", "elsewhere");
  expect(named.err.join("\n")).not.toContain("There is one in");
});

test("a run below the directory of a team says once that it starts another one", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const below = join(directory.path, "src");
  await mkdir(below);
  const run = () => troupe(below, "run", "List teammates", "--model", "rehearsal");

  const first = await run();
  const second = await run();

  const note = `note: There is a team in ${directory.path}. To continue it, change to that directory: a new one starts here.`;
  expect(first.code).toBe(0);
  expect(first.err).toContain(note);
  expect(second.err).not.toContain(note);
});
