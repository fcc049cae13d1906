import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { withoutAttachments } from "../../../src/cli/talk/mentions.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { noTerminal, troupeIn } from "../troupe.ts";

const schemaPrompt =
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.";

function talked(root: string, ...lines: string[]) {
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  input.end(lines.map((line) => `${line}\n`).join(""));
  const argv = ["--model", "rehearsal", "--permission-mode", "acceptEdits"];
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
