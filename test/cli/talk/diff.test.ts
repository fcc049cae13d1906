import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { PlainTerminal } from "../../support/plain-terminal.ts";
import { troupeIn } from "../troupe.ts";

const schemaPrompt =
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.";

test("P40 /diff and `troupe diff` show what the team's tools have changed since the last prompt", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "mine"), "x\n");
  const terminal = new PlainTerminal();
  const talking = terminal.talk(directory.path, "--permission-mode", "acceptEdits");
  await terminal.shows(/> $/);
  terminal.type("/diff");
  await terminal.shows(/No changes are known\.\nYou have not prompted this team yet/);
  terminal.type(schemaPrompt);
  await terminal.shows(/\nalice reports: I wrote schema\.sql, 6 lines\.\n> $/);

  const from = terminal.text.length;
  terminal.type("/diff");
  const [shown] = await terminal.shows(/1 file changed by the team's tools[\s\S]*\n> $/, from);
  terminal.type("/diff mine");
  await terminal.shows(/Nothing has changed by the team's tools since your prompt of /, from);
  terminal.type("/diff ../x");
  await terminal.shows(/error: \S+\/x is not in the workspace/, from);
  terminal.end();
  await talking;
  const { out } = await troupeIn({ root: directory.path, env: {} }, "diff", "schema.sql");

  expect(shown).toMatch(/since your prompt of \S+ \S+: 6 lines added, 0 removed\n/);
  expect(shown).toContain("\n\nschema.sql (new)\n1 + CREATE TABLE users (\n2 +   id INTEGER");
  expect(shown).not.toContain("mine");
  expect(out.join("\n")).toContain("schema.sql (new)\n1 + CREATE TABLE users (");

  // A later prompt is another beginning.
  const again = new PlainTerminal();
  const asking = again.talk(directory.path);
  await again.shows(/> $/);
  again.type("Check the lead inbox for any messages");
  await again.shows(/Nothing is unread[\s\S]*\n> $/);
  again.type("/diff");
  await again.shows(/Nothing has changed by the team's tools/);
  again.end();
  await asking;
});

test("`troupe diff` in a git repository needs no team, and counts what has changed", async () => {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  execFileSync("git", ["init", "-q", root]);
  await writeFile(join(root, "a\u001b[2J.txt"), "one\u001b[31m\n");
  await writeFile(join(root, "b.bin"), Buffer.from([0, 1]));

  const { code, out } = await troupeIn({ root, env: {} }, "diff");
  const { out: json } = await troupeIn({ root, env: {} }, "diff", "--json", "b.bin");

  expect(code).toBe(0);
  expect(out).toEqual([
    "2 files changed since the last commit: 1 line added, 0 removed",
    "",
    "a\\x1b[2J.txt (new)",
    "1 + one\\x1b[31m",
    "",
    "b.bin (new): binary",
  ]);
  expect(JSON.parse(json.join("\n"))).toMatchObject({
    since: { type: "commit" },
    files: [{ path: "b.bin", change: "added", reason: "binary" }],
  });
});
