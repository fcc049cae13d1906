import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PlainQuestions } from "../../../src/cli/talk/plain-questions.ts";
import type { TeamRequest } from "../../../src/protocol/request.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { PlainTerminal } from "../../support/plain-terminal.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";
import { noTerminal, troupeIn } from "../troupe.ts";

const schemaPrompt =
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.";

test("the talk begins with a greeting and a prompt, and ends with how to come back", async () => {
  await using directory = await temporaryDirectory();
  const terminal = new PlainTerminal();
  const talking = terminal.talk(directory.path);

  await terminal.shows(/\n> $/);
  terminal.end();
  const { err } = await talking;

  expect(terminal.text).toBe(
    `troupe in ${directory.path}, in plain lines
The lead uses rehearsal, in permission mode default.
There are no teammates.
What you type goes to the lead. /help lists the commands; Ctrl-D quits.
> 
`,
  );
  expect(err).toEqual(["Run `troupe` to continue where you left off."]);
});

test("a team that is left for another one is said to be archived, and not to continue", async () => {
  await using directory = await temporaryDirectory();
  const terminal = new PlainTerminal();
  const talking = terminal.talk(directory.path);
  const greeting = /There are no teammates\.[\s\S]*\n> $/;
  await terminal.shows(greeting);
  for (const line of ["/new", "/resume 1"]) {
    const from = terminal.text.length;
    terminal.type(line);
    await terminal.shows(greeting, from);
  }
  terminal.end();
  const { err } = await talking;

  const archived = "This team is archived. `/resume 1` goes back to it.";
  expect(err).toEqual([archived, archived, "Run `troupe` to continue where you left off."]);
});

test("the greeting of a team that continues names its members and what waits", async () => {
  await using directory = await temporaryDirectory();
  const before = new PlainTerminal();
  const talking = before.talk(directory.path);
  before.type(schemaPrompt);
  await before.shows(/\/a3 .*\n> $/);
  before.end();
  await talking;

  const terminal = new PlainTerminal();
  const again = terminal.talk(directory.path);
  await terminal.shows(/\/a3 .*\n> $/);
  terminal.end();
  await again;

  const greeting = terminal.text.slice(0, terminal.text.indexOf("? alice asks to run"));
  expect(greeting).toContain("Teammates:\n  alice (backend developer): ");
  expect(greeting).toContain("1 question waits for your answer:");
  expect(greeting).toContain("the run was cut off. Write to continue it.");
});

test("results are printed with who has them, and the prompt comes back when the work is done", async () => {
  await using directory = await temporaryDirectory();
  const terminal = new PlainTerminal();
  const talking = terminal.talk(directory.path, "--permission-mode", "acceptEdits");
  await terminal.shows(/> $/);

  terminal.type(schemaPrompt);
  await terminal.shows(/\nalice reports: I wrote schema\.sql, 6 lines\.\n> $/);
  terminal.end();
  await talking;

  expect(terminal.text).toMatch(
    /\nalice: ● write_file schema\.sql\nalice: └ Wrote 155 bytes to schema\.sql\n {4}1 \+ CREATE TABLE users \(\n {4}2 \+ {3}id/,
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
  expect(terminal.text).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
});

test("what was printed only in part is printed whole by /show, and everything by /show all", async () => {
  await using directory = await temporaryDirectory();
  const terminal = new PlainTerminal();
  const talking = terminal.talk(directory.path, "--permission-mode", "acceptEdits");
  await terminal.shows(/> $/);
  terminal.type("/show");
  await terminal.shows(/Nothing was shown only in part\.\n.*\n> $/);
  terminal.type(
    "Spawn bob as a tester. Ask him to check if notes.txt exists and list its contents.",
  );
  await terminal.shows(/\nbob reports[\s\S]*\n> $/);

  const from = terminal.text.length;
  terminal.type("/view bob");
  await terminal.shows(/What you type goes to bob from now on[^\n]*\nbob> $/, from);
  terminal.type("/show all");
  await terminal.shows(
    /everything that bob saw, said and did:\n[\s\S]*● glob[\s\S]*\nbob> $/,
    from,
  );
  terminal.end();
  await talking;
});

test("P38 a question is answered by its own line, and by no number", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "schema.sql");
  const terminal = new PlainTerminal();
  const talking = terminal.talk(directory.path);
  await terminal.shows(/> $/);
  terminal.type(schemaPrompt);
  await terminal.shows(/\/a3 +always edit_file\(schema\.sql\); you are asked to confirm it\n> $/);

  for (const line of ["1", "a1", " /a1", "y", "/a3 yes", "/a1 yes, once"]) terminal.type(line);
  await terminal.shows(/error: \/a1 yes, once is not an answer/);
  expect(existsSync(file)).toBe(false);
  terminal.type("/a1");
  await terminal.shows(/allowed alice once\n[\s\S]*alice: └ Wrote 155 bytes/);
  terminal.type("/a1");
  await terminal.shows(/error: Question a is no longer open/);
  terminal.end();
  await talking;

  expect(existsSync(file)).toBe(true);
  // The question has shown the change.
  expect(terminal.text.match(/CREATE TABLE/g)).toHaveLength(1);
});

test("P38 a rule is added only by the line that confirms it", async () => {
  await using directory = await temporaryDirectory();
  const terminal = new PlainTerminal();
  const talking = terminal.talk(directory.path);
  await terminal.shows(/> $/);
  terminal.type(schemaPrompt);
  await terminal.shows(/\/a3 .*\n> $/);

  terminal.type("/a3");
  await terminal.shows(/Always allow edit_file\(schema\.sql\) for the whole team.*\n.*Nothing/);
  terminal.type("/permissions");
  await terminal.shows(/There are no permission rules\./);
  terminal.type("/a3 yes");
  await terminal.shows(
    /allowed alice from now on[\s\S]*rule added: allow edit_file\(schema\.sql\)/,
  );
  terminal.end();
  await talking;
});

test("P38 an argument of the program and lines that nobody types answer nothing", async () => {
  await using directory = await temporaryDirectory();
  const before = new PlainTerminal();
  const talking = before.talk(directory.path);
  before.type(schemaPrompt);
  await before.shows(/\/a3 .*\n> $/);
  before.end();
  await talking;

  const terminal = new PlainTerminal();
  const again = terminal.talk(directory.path, "/a2 no, it is wrong");
  await terminal.shows(/error: There is no command \/a2/);
  terminal.end();
  await again;
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  input.end("/a1\n/b1\n");
  const world = { root: directory.path, env: {}, terminal: { ...noTerminal, input } };
  const { out } = await troupeIn(world, "--model", "rehearsal");

  expect(out.join("\n")).toContain("There is no command /a1");
  expect(existsSync(join(directory.path, "schema.sql"))).toBe(false);
  const { out: approvals } = await troupeIn({ root: directory.path, env: {} }, "approvals");
  expect(approvals.join("\n")).toContain("schema.sql");
});

/** Any line that is not the line of an answer is none, however like one it is. */
const anyLine = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.stringMatching(/^[ /]?[/]?[ab][0-4]( yes| y|)$/),
);

test("P38 no line that could go to a member is an answer", async () => {
  await using screen = await ScreenedTeam.open();
  const request = screen.ask(screen.enlist("alice"), { command: "npm test" }, "bash(npm test:*)");
  const questions = new PlainQuestions();
  questions.add(request);
  const given: string[] = [];

  fc.assert(
    fc.property(anyLine, (line) => {
      const answer = answerTo(questions, line);
      if (answer === "answer") given.push(line);
      return answer !== "answer" || /^\/a[12](\s|$)|^\/a3 yes$/.test(line);
    }),
    { numRuns: 2_000 },
  );

  // Control: there were answers among them.
  expect(given).toContain("/a1");
});

function answerTo(questions: PlainQuestions, line: string): string | undefined {
  try {
    return questions.read(line, () => true)?.type;
  } catch {
    return undefined;
  }
}

test("P38 a line for one question never answers another", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  const asked: TeamRequest[] = Array.from({ length: 30 }, () =>
    screen.ask(alice, { command: "x" }),
  );
  const questions = new PlainQuestions();
  for (const each of asked) questions.add(each);

  const meant = ["/a1", "/z1", "/aa1", "/ad1"].map((line) => {
    const given = questions.read(line, () => true);
    return given?.type === "answer" ? asked.indexOf(given.request) : undefined;
  });

  expect(meant).toEqual([0, 25, 26, 29]);
  expect(() => questions.read("/b1", (id) => id !== asked[1]?.id)).toThrow(/no longer open/);
});
