import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { withoutAttachments } from "../../../src/cli/talk/mentions.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { makeRepository } from "../../support/repository.ts";
import { noTerminal, troupeIn } from "../troupe.ts";

const schemaPrompt =
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.";

const talked = (root: string, ...lines: string[]) => talkedWith(root, [], ...lines);

function talkedWith(root: string, more: readonly string[], ...lines: string[]) {
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  input.end(lines.map((line) => `${line}\n`).join(""));
  const argv = ["--model", "rehearsal", "--permission-mode", "acceptEdits", ...more];
  return troupeIn({ root, env: {}, terminal: { ...noTerminal, input } }, ...argv);
}

test("P39 a prompt is taken back with its files, by lines, and is printed to write it anew", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "schema.sql");
  await talked(directory.path, schemaPrompt);
  expect(existsSync(file)).toBe(true);

  const looked = await talked(directory.path, "/rewind", "/rewind 1");
  expect(existsSync(file)).toBe(true);
  expect(looked.out.join("\n")).toMatch(
    /1 {2}\S+ \S+ {2}Spawn alice[\s\S]*End, because they were spawned since: alice[\s\S]*remove {3}schema\.sql/,
  );
  const { out } = await talked(directory.path, "/rewind 1", "/rewind 1 yes", "/team", "/rewind");

  expect(existsSync(file)).toBe(false);
  const text = out.join("\n");
  expect(text).toContain("Files that are as they were:\n  schema.sql");
  expect(text).toContain(`You had written:\n${schemaPrompt}`);
  expect(text).toMatch(/alice \(backend developer\): shutdown/);
  expect(text).toContain("There is no prompt of yours to go back to.");
});

test("P39 a file that the person has changed since is left, and taken back with overwrite", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "schema.sql");
  await talked(directory.path, schemaPrompt);
  await writeFile(file, "mine");

  const { out } = await talked(directory.path, "/rewind 1", "/rewind 1 yes files");
  expect(existsSync(file)).toBe(true);
  expect(out.join("\n")).toMatch(/schema\.sql: only with overwrite, because something else/);
  await talked(directory.path, "/rewind 1", "/rewind 1 yes overwrite");

  expect(existsSync(file)).toBe(false);
});

test("P27 a member's checkout goes back to a kept state, named before, and what it was is kept", async () => {
  await using directory = await temporaryDirectory();
  await using checkouts = await temporaryDirectory();
  await makeRepository(directory.path);
  const say = (...lines: string[]) =>
    talkedWith(directory.path, ["--checkouts-dir", checkouts.path], ...lines);
  await say("Spawn alice in a checkout. Ask her to create a file called note.md with news.");
  await say("Ask alice to create a file called other.md with more news.");
  const [team = ""] = await readdir(checkouts.path);
  const entries = await readdir(join(checkouts.path, team));
  const checkout = entries.find((entry) => /^alice-\w+$/.test(entry)) ?? "none";
  const files = async () =>
    (await readdir(join(checkouts.path, team, checkout)))
      .filter((name) => name.endsWith(".md"))
      .sort();
  expect(await files()).toEqual(["note.md", "other.md"]);

  const looked = await say("/rewind alice", "/rewind alice 1", "/rewind alice 0 yes");

  expect(looked.err).toEqual([]);
  const text = looked.out.join("\n");
  expect(text).toMatch(
    /Kept states of alice's checkout:\n {2}2 {2}.*\n {2}1 {2}.*\n {2}0 .*as it began/,
  );
  expect(text).toMatch(/Files that change:\n {2}remove {3}other\.md\nWhat is not taken back:/);
  expect(text).toContain("Type /rewind alice 1 yes to do this.");
  expect(text).toContain("Look at it first.");
  expect(await files()).toEqual(["note.md", "other.md"]);

  const done = await say(
    "/rewind @Alice 1",
    "/rewind alice 1 yes",
    "/rewind alice 2",
    "/rewind alice 2 yes",
    "/rewind alice 1",
    "/rewind alice 1 yes",
  );
  expect(done.out.join("\n")).toContain("Their previous state is kept: /rewind alice 2");
  expect(await files()).toEqual(["note.md"]);

  // The member hears of it with its next turn, and not by a run of its own.
  await say("Ask alice to check if other.md exists.");
  const transcript = await readFile(
    join(directory.path, ".team", "transcripts", "alice.jsonl"),
    "utf8",
  );
  expect(transcript).toMatch(/The person took the files of your checkout back[^"]*other\.md/);
  expect(transcript.match(/"type":"run-start"/g)).toHaveLength(3);
});

test("going back in a checkout that there is not says so", async () => {
  await using directory = await temporaryDirectory();
  await talked(directory.path, "Spawn bob.");

  const { out, err } = await talked(
    directory.path,
    "/rewind bob",
    "/rewind carol",
    "/rewind bob now",
  );

  const text = [...out, ...err].join("\n");
  expect(text).toMatch(/'bob' has no checkout/);
  expect(text).toMatch(/No member is named 'carol'|carol/);
  expect(text).toMatch(/Not understood: \/rewind bob now/);
});

test("attached files are no part of the prompt that is written anew", () => {
  const file = '<file path="a.ts" lines="1-2">\none\ntwo\n</file>';
  const directory = '<directory path="src">\na.ts\n</directory>';

  expect(withoutAttachments(`Explain @a.ts:1-2 and @src\n\n${file}\n\n${directory}`)).toBe(
    "Explain @a.ts:1-2 and @src",
  );
  for (const typed of ["Explain it", `What is this?\n\n${file}`, `@me\n\n${file}\n\nWhy?`]) {
    expect(withoutAttachments(typed)).toBe(typed);
  }
});
