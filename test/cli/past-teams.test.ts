import { cp } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { archivedLine, pickTeam, teamsLines } from "../../src/cli/past-teams.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { restoreTeam } from "../../src/team/restore-team.ts";
import type { ArchivedTeam } from "../../src/team/view/archived-team.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { teamPlace } from "../support/team.ts";
import { noTerminal, troupeIn } from "./troupe.ts";

/** Lines that are piped into a command. */
function piped(root: string, lines: readonly string[], ...argv: string[]) {
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  input.end(lines.map((line) => `${line}\n`).join(""));
  return troupeIn({ root, env: {}, terminal: { ...noTerminal, input } }, ...argv);
}

const talked = (root: string, ...lines: string[]) => piped(root, lines, "--model", "rehearsal");

/** Two archived teams and a present one. */
async function threeTeams() {
  const directory = await temporaryDirectory();
  const root = directory.path;
  await talked(root, "Plan the garden.", "/new", "Build a shed.", "/new", "Paint the fence.");
  return {
    root,
    teams: async () => (await troupeIn({ root, env: {} }, "teams")).out.join("\n"),
    json: async () =>
      JSON.parse((await troupeIn({ root, env: {} }, "teams", "--json")).out.join("\n")),
    resume: (...argv: string[]) => piped(root, [], "resume", "--model", "rehearsal", ...argv),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const prompts = (listed: { present: object | null; archived: object[] }) =>
  [listed.present, ...listed.archived].map(
    (team) => (team as { first_prompt: string }).first_prompt,
  );

test("troupe teams lists the present team and the archived ones, newest first", async () => {
  await using it = await threeTeams();

  expect(await it.teams()).toMatch(
    /^now {2}Paint the fence\.\n {5}since 2\S+ \S+ · lead · \$0\.00\n {2}1 {2}Build a shed\.\n {5}archived 2\S+ \S+ · lead · \$0\.00\n {2}2 {2}Plan the garden\.\n[\s\S]*`troupe resume <number>` brings a team back/,
  );
  const listed = await it.json();
  expect(listed.archived).toMatchObject([
    { number: 1, members: ["lead"], cost_usd: 0, is_own: true },
    { number: 2, first_prompt: "Plan the garden." },
  ]);
});

test("a directory without a team has an empty list", async () => {
  await using directory = await temporaryDirectory();

  const { code, out } = await troupeIn({ root: directory.path, env: {} }, "teams");
  const json = await troupeIn({ root: directory.path, env: {} }, "teams", "--json");

  expect({ code, out }).toEqual({ code: 0, out: ["There is no team here."] });
  expect(JSON.parse(json.out.join("\n"))).toEqual({ present: null, archived: [] });
});

test("troupe resume brings a team back by number or by name, and sets the present one aside", async () => {
  await using it = await threeTeams();

  expect((await it.resume("2")).code).toBe(0);
  expect(prompts(await it.json())).toEqual([
    ...["Plan the garden.", "Paint the fence.", "Build a shed."],
  ]);

  const { archived } = await it.json();
  expect((await it.resume(archived[1].name)).code).toBe(0);
  expect(prompts(await it.json())).toEqual([
    ...["Build a shed.", "Plan the garden.", "Paint the fence."],
  ]);
});

test.each([
  [[], 2, "Which team?", /Give a number from 1 to 2: `troupe teams`/],
  [["3"], 2, "There is no archived team 3", /Give a number from 1 to 2/],
  [["0"], 2, "There is no archived team 0", /Give a number/],
  [["garden"], 2, "There is no archived team garden", /Give a number/],
  [["20"], 2, "There is no archived team 20", /Give a number/],
  [["202"], 2, "There is no archived team 202", /Give a number/],
  [["1", "--effort", "huge"], 2, "--effort", /effort/],
])("troupe resume %j is refused, and changes nothing", async (argv, code, message, hint) => {
  await using it = await threeTeams();
  const before = await it.json();

  const resumed = await it.resume(...argv);

  expect(resumed.code).toBe(code);
  expect(resumed.err.join("\n")).toContain(message);
  expect(resumed.err.join("\n")).toMatch(hint);
  expect(await it.json()).toEqual(before);
});

test("where nothing is archived, troupe resume says so", async () => {
  await using directory = await temporaryDirectory();
  await talked(directory.path, "Plan the garden.");

  const { code, err } = await piped(directory.path, [], "resume");

  expect(code).toBe(2);
  expect(err.join("\n")).toMatch(/no archived team to bring back[\s\S]*--fresh/);
});

test("the numbers of the archived teams are completed", async () => {
  await using it = await threeTeams();
  const complete = (...words: string[]) =>
    troupeIn({ root: it.root, env: {} }, "__complete", "--", ...words);

  expect((await complete("resume", "")).out).toEqual(["1", "2"]);
  expect((await complete("res")).out).toEqual(["resume"]);
  const elsewhere = await complete("resume", "--team-dir", "none", "");
  expect(elsewhere).toEqual({ code: 0, out: [], err: [] });
});

test("/resume lists the teams, and goes on with another one", async () => {
  await using it = await threeTeams();

  const { code, out } = await talked(it.root, "/resume", "/resume 9", "/resume 2", "/log");

  expect(code).toBe(0);
  const text = out.join("\n");
  expect(text).toMatch(
    /now {2}Paint the fence\.[\s\S]*2 {2}Plan the garden\.[\s\S]*`\/resume <number>`/,
  );
  expect(text).toContain("error: There is no archived team 9");
  expect(text.slice(text.indexOf("no archived team 9"))).toContain("← user: Plan the garden.");
});

/** A process of this machine that is dead when anybody looks: no process with this pid began then. */
const killedProcess = {
  ...systemProcesses,
  self: async () => ({ ...(await systemProcesses.self()), process_start: "1" }),
};

test("wherever the exchange of two teams dies, the next start has all teams, and one is present", async () => {
  await using it = await threeTeams();
  const { archived } = await it.json();
  using faulty = await FaultyFileSystem.install();
  let hits = 0;
  for (let at = 1; ; at += 4) {
    await using directory = await temporaryDirectory();
    const root = join(directory.path, "copy");
    await cp(it.root, root, { recursive: true });
    const onWarning = () => undefined;
    const place = teamPlace(root, { processes: killedProcess, onWarning });
    const { hit } = await faulty.run({ type: "crash", at, writtenShare: 0 }, () =>
      restoreTeam(place, archived[1].name),
    );
    if (!hit) break;
    hits++;

    const { code } = await talked(root, "/team");

    expect({ at, code }).toEqual({ at, code: 0 });
    const listed = JSON.parse(
      (await troupeIn({ root, env: {} }, "teams", "--json")).out.join("\n"),
    );
    expect({ at, prompts: prompts(listed).sort() }).toEqual({
      ...{ at, prompts: ["Build a shed.", "Paint the fence.", "Plan the garden."] },
    });
  }
  expect(hits).toBeGreaterThan(5);
});

const garden: ArchivedTeam = {
  ...{ name: "2026-11-15T10-00-00.000Z", archivedAt: "2026-11-15T10:00:00.000Z" },
  ...{ startedAt: undefined, firstPrompt: "Plan\x1b[31m\nthe garden.", costUsd: null },
  ...{ members: [MemberName.parse("lead")], isOwn: true },
};

test("what a list shows of a prompt cannot control the terminal", () => {
  const shown = [archivedLine(garden), ...teamsLines({ present: garden, archived: [garden] }, "x")];

  expect(shown.join("\n")).not.toContain("\x1b");
  expect(shown[0]).toMatch(/^Plan\\x1b\[31m ⏎ the garden\. · archived .* · lead · no price$/);
});

test("a team of somebody else is refused, and a beginning that fits several is unclear", () => {
  const later = { ...garden, name: "2026-11-15T11-00-00.000Z", isOwn: false };

  expect(() => pickTeam([later, garden], "1")).toThrow(/is not yours/);
  expect(() => pickTeam([later, garden], "2026-11-15")).toThrow(/Several archived teams/);
  expect(pickTeam([later, garden], "2026-11-15T10")).toBe(garden);
});
