import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Io } from "../../src/cli/command.ts";
import { demo } from "../../src/cli/commands/demo.ts";
import { runProgram } from "../../src/cli/program.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Team } from "../../src/team/team.ts";
import type { TeamOptions } from "../../src/team/team-options.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { teamPlace, viewTeam } from "../support/team.ts";
import { noDashboards, noTerminal, troupe } from "./troupe.ts";

test("the demo exits 0 without a key, and its claims are true", async () => {
  await using directory = await temporaryDirectory();
  const { path: root } = directory;

  const { code, out, err } = await play(root);

  expect({ code, err }).toEqual({ code: 0, err: [] });
  const claims = out.filter((line) => /^ {2}[✓✗]/.test(line));
  expect(claims.length).toBeGreaterThan(10);
  expect(claims.filter((line) => line.includes("✗"))).toEqual([]);
  expect(await readFile(join(root, "show", "schema.sql"), "utf8")).toContain("CREATE TABLE users");
  const view = viewTeam(root, { directory: join(root, "show", ".team") });
  expect((await view.tasks()).map(({ status }) => status)).toEqual(["completed", "completed"]);
  const statuses = (await view.team()).members.map(({ name, status }) => `${name} ${status}`);
  expect(statuses).toEqual(["alice shutdown", "bob idle", "charlie idle", "dana idle"]);
});

test("the demo says that it is a rehearsal, and shows the prompts and where to look", async () => {
  await using directory = await temporaryDirectory();
  const { path: root } = directory;

  const { out } = await play(root);

  const text = out.join("\n");
  expect(text).toMatch(/rehearsal.*not a language model/);
  expect(text).toMatch(/\? may \w+ call write_file[\s\S]*"path":"schema.sql"[\s\S]*allow it, once/);
  expect(text).toContain(`cd ${join(root, "show")}`);
  const looks = [["team"], ["messages"], ["tasks"]];
  for (const look of looks) {
    expect(text).toContain(`troupe ${look.join(" ")}`);
    const seen = await troupe(root, ...look, "--team-dir", join(root, "show", ".team"));
    expect(seen.code).toBe(0);
    expect(seen.out.length).toBeGreaterThan(1);
  }
});

test("the demo of a clone says how to have the command, and an installed one does not", async () => {
  await using directory = await temporaryDirectory();
  const { path: root } = directory;

  const inClone = await play(root, { env: { npm_lifecycle_event: "demo" } });
  const installed = await play(root, { argv: ["demo", "--dir", "again"] });

  expect(inClone.out.at(-1)).toContain("npm install -g --ignore-scripts .");
  expect(installed.out.at(-1)).toBe("  troupe");
});

test("if a file cannot be written the demo names the false claim, and fails", async () => {
  await using directory = await temporaryDirectory();

  const { code, out, err } = await play(directory.path, { team: { deny: ["write_file(**)"] } });

  expect(code).toBe(1);
  expect(err.join("\n")).toContain('schema.sql is there, with "CREATE TABLE users" in it');
  expect(out).toContainEqual(expect.stringContaining("✗ not true: schema.sql is there"));
  expect(out.join("\n")).not.toContain("Act 3");
});

test("if no member may take a task the demo fails instead of waiting", async () => {
  await using directory = await temporaryDirectory();

  const { code, err } = await play(directory.path, { team: { autoclaim: false } });

  expect(code).toBe(1);
  expect(err.join("\n")).toContain("both tasks are completed");
});

test("the demo can be stopped cleanly", async () => {
  await using directory = await temporaryDirectory();
  const stop = new AbortController();
  const onOut = (line: string) => {
    if (line.startsWith("Act 2")) stop.abort();
  };

  const { code, err } = await play(directory.path, { signal: stop.signal, onOut });

  expect(code).not.toBe(0);
  expect(err.join("\n")).toContain("The demo was stopped.");
  await using again = await Team.open({ ...teamIn(directory.path), cwd: directory.path });
  expect((await again.roster()).members.map(({ name }) => name)).toEqual(["alice", "bob"]);
});

test("the demo refuses a directory that is not empty", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "mine.txt"), "mine");

  const { code, out, err } = await play(directory.path, { argv: ["demo", "--dir", "."] });

  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err.join("\n")).toContain("is not empty");
  expect(await readdir(directory.path)).toEqual(["mine.txt"]);
});

test("without --dir the demo creates a scratch directory", async () => {
  await using directory = await temporaryDirectory();
  const stop = AbortSignal.abort();

  const { out } = await play(directory.path, { argv: ["demo"], signal: stop });

  const place = out.find((line) => line.startsWith("They are in "))?.slice("They are in ".length);
  if (!place) throw new Error(`It does not say where: ${out.join("\n")}`);
  expect(place).toContain("troupe-demo-");
  expect(await readdir(place)).toEqual([".team"]);
  await rm(place, { recursive: true });
});

interface World {
  env?: Record<string, string>;
  argv?: string[];
  /** What is different about its team. */
  team?: Partial<TeamOptions>;
  signal?: AbortSignal;
  onOut?(line: string): void;
}

function teamIn(root: string) {
  return {
    place: teamPlace(root, { directory: join(root, "show", ".team") }),
    env: { PATH: process.env.PATH },
    model: "rehearsal",
  };
}

async function play(root: string, world: World = {}) {
  const { argv = ["demo", "--dir", "show"], team, onOut } = world;
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    out: (line) => {
      out.push(line);
      onOut?.(line);
    },
    err: (line) => err.push(line),
    isInputPiped: () => false,
    pipes: { input: process.stdin, output: process.stdout },
    signal: world.signal ?? new AbortController().signal,
    processInfo: { cwd: root, home: root, env: world.env ?? {} },
    terminal: noTerminal,
    dashboards: noDashboards,
    schedule: (delayMs, work) => systemClock.schedule(delayMs, work),
    openTeam: ({ teamDir = "", cwd = root, denies: _, ...settings }) =>
      Team.open({
        ...settings,
        cwd,
        place: teamPlace(root, { directory: teamDir }),
        env: { PATH: process.env.PATH },
        approvals: "wait",
        ...team,
      }),
    viewTeam: async () => viewTeam(root),
  };
  const commands = new Map([["demo", async () => demo]]);
  const code = await runProgram({ version: "1.2.3", commands }, argv, io);
  return { code, out, err };
}
