import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { TeamRecord } from "../../src/protocol/team.ts";
import { FileRoster, type FileRosterOptions } from "../../src/roster/file-roster.ts";
import { lastGoodFile, readTeamFile } from "../../src/roster/team-file.ts";
import { exampleTeam, testRoster } from "../../src/testing/conformance/roster.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

testRoster("FileRoster", async () => {
  const directory = await temporaryDirectory();
  return {
    roster: await open(directory.path),
    reopen: () => open(directory.path),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
});

test("config.json is indented by two, ends with a newline, and is private", async () => {
  await using directory = await temporaryDirectory();
  await open(directory.path);

  const path = join(directory.path, "config.json");
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/^\{\n {2}"team_name": "default",\n {2}"team_id": "/);
  expect(text.endsWith("}\n")).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a valid edit by hand is used, and reported to listeners", async () => {
  await using directory = await temporaryDirectory();
  const wakes: (() => void)[] = [];
  const subscribe = (_: string, wake: () => void) => {
    wakes.push(wake);
    return () => undefined;
  };
  const roster = await open(directory.path, { watch: { subscribe } });
  const changed = new Promise<TeamRecord>((resolve) => roster.onChange(resolve));

  await edit(directory.path, (text) => text.replace('"coder"', '"tester"'));
  for (const wake of wakes) wake();

  expect((await changed).members).toMatchObject([{ name: "alice", role: "tester" }]);
  const updated = await roster.update((team) => ({ ...team, team_name: "renamed" }));
  expect(updated.members).toMatchObject([{ role: "tester" }]);
});

test("an edit cannot give the team another id, and thereby another key", async () => {
  await using directory = await temporaryDirectory();
  const warnings: string[] = [];
  const roster = await open(directory.path, { onWarning: (text) => warnings.push(text) });
  const { team_id } = await roster.read();
  const other = `f${team_id.slice(1)}`;

  await edit(directory.path, (text) => text.replace(team_id, other).replace('"coder"', '"tester"'));
  const read = await roster.read();

  expect(read).toMatchObject({ team_id, members: [{ role: "tester" }] });
  expect((await readTeamFile(directory.path))?.team).toEqual(read);
  expect((await readTeamFile(directory.path, lastGoodFile))?.team).toEqual(read);
  expect(warnings).toEqual([expect.stringContaining(`The team keeps its team_id ${team_id}`)]);
});

test("an id that cannot be restored at once is restored by the next update", async () => {
  await using directory = await temporaryDirectory();
  let isRefused = true;
  const check = async () => {
    if (isRefused) throw new Error("not now");
  };
  await open(directory.path);
  const roster = await open(directory.path, { check, onWarning: () => undefined });
  const { team_id } = await roster.read();
  await edit(directory.path, (text) => text.replace(team_id, `f${team_id.slice(1)}`));

  await expect(roster.read()).rejects.toThrow("not now");
  expect((await roster.read()).team_id).toBe(team_id);
  isRefused = false;
  await roster.update((team) => team);

  expect((await readTeamFile(directory.path))?.team.team_id).toBe(team_id);
});

test.each(["lead", "user", "all"])("an edit that adds '%s' is invalid", async (name) => {
  await using directory = await temporaryDirectory();
  const warnings: string[] = [];
  const roster = await open(directory.path, { onWarning: (text) => warnings.push(text) });
  const before = await roster.read();

  await edit(directory.path, (text) => text.replace('"alice"', `"${name}"`));

  expect(await roster.read()).toEqual(before);
  await roster.update((team) => ({ ...team, team_name: "renamed" }));
  expect(warnings).toEqual([
    expect.stringMatching(
      new RegExp(`members\\[0\\].name: '${name}' is a reserved name.* none of lead, user,`),
    ),
  ]);
});

test("an edit that renames the lead is invalid", async () => {
  await using directory = await temporaryDirectory();
  const roster = await open(directory.path, { onWarning: () => undefined });

  await edit(directory.path, (text) => text.replace('"lead": "lead"', '"lead": "all"'));

  expect((await roster.read()).lead).toBe("lead");
});

test("an invalid edit is reported with its position, kept as a copy, and otherwise ignored", async () => {
  await using directory = await temporaryDirectory();
  const warnings: string[] = [];
  const roster = await open(directory.path, { onWarning: (text) => warnings.push(text) });
  const before = await roster.read();

  await edit(directory.path, () => '{\n  "team_name": oops\n}\n');
  await roster.read();
  const after = await roster.update((team) => ({ ...team, team_name: "renamed" }));

  expect(after.members).toEqual(before.members);
  expect(warnings).toEqual([expect.stringMatching(/config\.json:2:16 is not JSON.* copy is /)]);
  expect(await copies(directory.path)).toEqual(['{\n  "team_name": oops\n}\n']);
});

test("an edit that stays invalid is reported; one that an editor is still writing is not", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  const warnings: string[] = [];
  const onWarning = (text: string) => warnings.push(text);
  const roster = await open(directory.path, { clock, onWarning });
  const whole = await readFile(join(directory.path, "config.json"), "utf8");

  await edit(directory.path, () => whole.slice(0, 20));
  await roster.read();
  await edit(directory.path, () => whole.replace('"coder"', '"tester"'));
  await roster.read();
  clock.advance(10_000);
  const whileSaving = [...warnings];
  await edit(directory.path, () => whole.slice(0, 20));
  await roster.read();
  clock.advance(10_000);

  expect(whileSaving).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("is not JSON")]);
});

test("an invalid edit that was deleted again is ignored", async () => {
  await using directory = await temporaryDirectory();
  const roster = await open(directory.path);
  await edit(directory.path, () => "nonsense");
  await roster.read();

  await rm(join(directory.path, "config.json"));
  await roster.update((team) => ({ ...team, team_name: "renamed" }));

  expect(await readFile(join(directory.path, "config.json"), "utf8")).toContain("renamed");
});

test("a deleted roster is restored by an update, even if it changes nothing", async () => {
  await using directory = await temporaryDirectory();
  const roster = await open(directory.path);
  const path = join(directory.path, "config.json");
  const text = await readFile(path, "utf8");
  await rm(path);

  await roster.update((team) => team);

  expect(await readFile(path, "utf8")).toBe(text);
});

test.each(["while the team runs", "while nobody runs it"])(
  "a member that was added by hand %s survives an invalid edit that follows",
  async (when) => {
    await using directory = await temporaryDirectory();
    let roster = await open(directory.path);
    const bob = '{ "name": "bob", "role": "tester", "status": "idle" }';
    await edit(directory.path, (text) => text.replace('"members": [', `"members": [${bob},`));
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    const isStopped = when === "while nobody runs it";
    if (isStopped) roster = await open(directory.path, { onWarning });
    await roster.read();

    await edit(directory.path, () => "{oops");
    const next = await open(directory.path, { onWarning: () => undefined });

    expect((await next.read()).members).toMatchObject([{ name: "bob" }, { name: "alice" }]);
    expect(warnings).toEqual(isStopped ? [expect.stringContaining("somebody edited")] : []);
  },
);

test("an invalid roster at a start is replaced by the last good one", async () => {
  await using directory = await temporaryDirectory();
  const before = await (await open(directory.path)).update((team) => ({ ...team, motto: "on" }));
  await edit(directory.path, (text) => text.replace('"idle"', '"asleep"'));

  const warnings: string[] = [];
  const roster = await open(directory.path, { onWarning: (text) => warnings.push(text) });

  expect(await roster.read()).toEqual(before);
  expect(warnings).toEqual([expect.stringContaining("members[0].status")]);
  expect(await copies(directory.path)).toEqual([expect.stringContaining('"asleep"')]);
});

test("an invalid roster without a last good one is left unchanged, with a hint", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "config.json"), "{}");

  await expect(open(directory.path)).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("team_name"),
    hint: expect.stringContaining("Correct it"),
  });
  expect(await readFile(join(directory.path, "config.json"), "utf8")).toBe("{}");
});

test("a deleted roster is restored from the last good one", async () => {
  await using directory = await temporaryDirectory();
  const before = await (await open(directory.path)).read();
  await rm(join(directory.path, "config.json"));

  expect(await (await open(directory.path)).read()).toEqual(before);
});

test("a team directory of a newer troupe is not touched", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "config.json"), '{"format":2,"teams":[]}');

  await expect(open(directory.path)).rejects.toMatchObject({
    code: "format-newer",
    hint: expect.stringContaining("Upgrade"),
  });
  expect(await readdir(directory.path)).toEqual(["config.json"]);
});

test("an invalid edit that is being read when the roster closes is not reported later", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  const warnings: string[] = [];
  let wake = () => {};
  const subscribe = (_: string, listener: () => void) => {
    wake = listener;
    return () => undefined;
  };
  const onWarning = (text: string) => warnings.push(text);
  const roster = await open(directory.path, { clock, watch: { subscribe }, onWarning });
  await edit(directory.path, () => "{");

  wake();
  await roster[Symbol.asyncDispose]();
  // Readings happen one after the other: the one of the edit has ended.
  await roster.read();
  clock.advance(1_000);

  expect(warnings).toEqual([]);
});

async function open(directory: string, options: Partial<FileRosterOptions> = {}) {
  return FileRoster.open(
    {
      directory,
      clock: systemClock,
      watch: { subscribe: () => () => undefined },
      check: async () => undefined,
      isOurs: () => true,
      vouchFor: (team) => team,
      onWarning: (message) => expect.fail(message),
      ...options,
    },
    exampleTeam,
  );
}

async function edit(directory: string, change: (text: string) => string): Promise<void> {
  const path = join(directory, "config.json");
  await writeFile(path, change(await readFile(path, "utf8")));
}

async function copies(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => name.includes(".damaged-"));
  return Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
}
