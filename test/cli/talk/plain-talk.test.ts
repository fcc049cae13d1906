import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../../support/team.ts";
import { noTerminal, troupeIn } from "../troupe.ts";

/** Lines as they come from a file, a program or a keyboard that is no terminal. */
class Lines {
  readonly input = Object.assign(new PassThrough(), { setRawMode: () => undefined });

  type(...lines: string[]): void {
    for (const line of lines) this.input.write(`${line}\n`);
  }

  end(): void {
    this.input.end();
  }
}

function talkIn(root: string, lines: Lines, onOut: (line: string) => void = () => undefined) {
  const terminal = { ...noTerminal, input: lines.input };
  return troupeIn({ root, env: {}, terminal, onOut }, "--model", "rehearsal");
}

test("lines are sent one after the other, each when the previous one is finished", async () => {
  await using directory = await temporaryDirectory();
  const lines = new Lines();
  lines.type(
    "Spawn alice (coder) and bob (tester). Have alice send bob a message.",
    "/team",
    "/inbox bob",
  );
  lines.end();

  const { code, out } = await talkIn(directory.path, lines);

  const text = out.join("\n");
  expect(code).toBe(0);
  expect(text).toMatch(/Team: default\n {2}alice \(coder\): idle\n {2}bob \(tester\): idle/);
  expect(text).toMatch(/delivered .* alice → bob/);
  expect(text.indexOf("alice → bob")).toBeLessThan(text.indexOf("Team: default"));
});

test("P23 /model and /effort show and set the lead's, and say what it cannot have", async () => {
  await using directory = await temporaryDirectory();
  const lines = new Lines();
  lines.type("/model", "/effort high", "/model nobody/x", "/model rehearsal all", "/effort none");
  lines.end();

  const { code, out } = await talkIn(directory.path, lines);

  const text = out.join("\n");
  expect(code).toBe(0);
  expect(text).toMatch(/^lead {2}rehearsal {2}effort default\n\/model <model>/);
  expect(text).toContain("(without a name: of lead)");
  expect(text).toContain(
    "error: 'lead' cannot have the effort high: rehearsal cannot be asked to think.",
  );
  expect(text).toContain("Set for all, from the next request on.");
  expect(text).toMatch(/lead {2}rehearsal {2}effort none\nSet for lead/);
  expect(text).toContain("nobody");
});

test("a question is answered by a line", async () => {
  await using directory = await temporaryDirectory();
  const lines = new Lines();
  lines.type(
    "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
  );

  const { out } = await talkIn(directory.path, lines, (line) => {
    const [, id] = /Answer with \/approve (\S+?),? /.exec(line) ?? [];
    if (!id) return;
    lines.type(`/approve ${id}`);
    lines.end();
  });

  expect(out.join("\n")).toMatch(/alice asks to run[\s\S]*CREATE TABLE users/);
  expect(existsSync(join(directory.path, "schema.sql"))).toBe(true);
});

test("an unanswered question stays open when the input ends", async () => {
  await using directory = await temporaryDirectory();
  const lines = new Lines();
  lines.type(
    "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
  );
  lines.end();

  const { code } = await talkIn(directory.path, lines);
  const { out } = await troupeIn({ root: directory.path, env: {} }, "approvals", "--json");

  expect(code).toBe(0);
  expect(out.join("\n")).toContain("schema.sql");
  expect(existsSync(join(directory.path, "schema.sql"))).toBe(false);
});

test.each([
  ["an unknown command", "/taem", /There is no command \/taem\n.*Did you mean \/team\?/],
  ["a slash alone", "/", /There is no command \/\n\/help lists them/],
  ["a word like one that stops something", "/interupt", /command \/interupt\n\/help lists them/],
  ["a word like none of three letters", "/foo", /command \/foo\n\/help lists them/],
  ["a command of other programs", "/exit", /command \/exit\n\/quit quits\. \/help lists them/],
  ["to rewind nobody", "/rewind carol", /There is no member 'carol'\nMembers: lead\./],
  ["an unknown member", "@carol hello", /There is no member 'carol'\nMembers: lead\./],
  ["a mode that is none", "/mode fast", /'fast' is not a permission mode\nModes: default/],
  ["an answer to nothing", "/approve 1", /No request starts with 1\nNo request waits/],
  ["an argument too many", "/tasks now", /Unexpected argument: now/],
])("%s is refused, and the talk continues", async (_title, line, refusal) => {
  await using directory = await temporaryDirectory();
  const lines = new Lines();
  lines.type(line, "/team");
  lines.end();

  const { code, out } = await talkIn(directory.path, lines);

  expect(code).toBe(0);
  expect(out.join("\n")).toMatch(refusal);
  expect(out).toContain("No teammates.");
});

test("/new archives the team, and the talk continues with a new one", async () => {
  await using directory = await temporaryDirectory();
  const lines = new Lines();
  lines.type(
    "Spawn alice (coder) and bob (tester). Have alice send bob a message.",
    "/new",
    "/team",
  );
  lines.end();

  const { out } = await talkIn(directory.path, lines);

  expect(out.at(-1)).toBe("No teammates.");
});

test.each(["q", "exit", "/quit"])("%s quits, regardless of what follows", async (word) => {
  await using directory = await temporaryDirectory();
  const lines = new Lines();
  lines.type(word, "/team");

  const { code, out } = await talkIn(directory.path, lines);

  expect(code).toBe(0);
  expect(out).toEqual([]);
});

test("a role with control characters is escaped by /team", async () => {
  await using directory = await temporaryDirectory();
  {
    await using store = await openStore(directory.path);
    await enlist(store, member("alice", "idle", "coder\u001b[2J\u202e"));
  }
  const lines = new Lines();
  lines.type("/team");
  lines.end();

  const { out } = await talkIn(directory.path, lines);

  expect(out.join("\n")).toContain("alice (coder\\x1b[2J\\u{202e}): idle");
});

test("/log ends even with the option to follow", async () => {
  await using directory = await temporaryDirectory();
  const lines = new Lines();
  lines.type("/log lead -f", "/team");
  lines.end();

  const { out } = await talkIn(directory.path, lines);

  expect(out.at(-1)).toBe("No teammates.");
});
