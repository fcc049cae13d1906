import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TeamOptions } from "../../../src/team/team-options.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { pictureOf } from "../../support/landings.ts";
import { noSandbox } from "../../support/no-sandbox.ts";
import { gitIn, makeRepository, writeFiles } from "../../support/repository.ts";
import { teamPlace } from "../../support/team.ts";
import { type Part, TeamOnWire } from "../../support/team-on-wire.ts";
import { resultsIn, spawns } from "./scenes.ts";

/** A team whose lead works in a repository of the person. */
async function teamInRepository(wire: TeamOnWire, options: Partial<TeamOptions> = {}) {
  const root = await makeRepository(join(wire.root, "work"), {
    ...{ "a.txt": "a\n", ".gitignore": ".team/\n" },
  });
  await writeFiles(root, { "a.txt": "the person's\n" });
  const open = () =>
    wire.open({
      ...{ cwd: root, mode: "bypassPermissions" },
      place: teamPlace(wire.root, {
        directory: join(root, ".team"),
        onWarning: (message) => wire.warnings.push(message),
      }),
      ...options,
    });
  return { root, open };
}

/** The person's directory, without the team's own files. */
async function personsFiles(root: string): Promise<Record<string, string>> {
  const picture = await pictureOf(root);
  return Object.fromEntries(Object.entries(picture).filter(([path]) => !/^\.team\b/.test(path)));
}

const lead: Part = [
  spawns("alice", { isolation: "checkout" }),
  calls("wait_for_teammates", {}),
  says("Done."),
];

test("P26 P27 a teammate with a checkout works in it alone, and what it does is kept", async () => {
  await using wire = await TeamOnWire.start({
    lead,
    alice: [
      calls("write_file", { path: "b.txt", content: "alice's\n" }),
      calls("bash", { command: "echo new > new.txt; git add -A; git commit -qm mine; pwd" }),
      calls("write_file", { path: "late.txt", content: "late\n" }),
      says("It is written."),
    ],
  });
  const { root, open } = await teamInRepository(wire);
  const team = await open();
  const before = await personsFiles(root);

  await team.prompt("Work.");
  await team.quiet();

  const { members } = await team.roster();
  const [alice] = members;
  const path = alice?.checkout?.path ?? "none";
  expect(alice).toMatchObject({ root: path, cwd: path });
  expect(path.startsWith(join(wire.root, "state", "troupe", "checkouts"))).toBe(true);
  const results = resultsIn(wire.requestsOf("alice").at(-1));
  expect(results.map(({ text }) => text)).toEqual([
    ...[expect.stringContaining("Wrote"), path, expect.stringContaining("Wrote")],
  ]);
  const system = JSON.stringify(wire.requestsOf("alice")[0]?.body.system);
  expect(system).toContain(`at ${path}. This is a checkout of your own`);
  expect(await personsFiles(root)).toEqual(before);
  const refs = (await gitIn(root, "for-each-ref", "--format=%(refname)")).split("\n");
  const kept = refs.find((ref) => ref.endsWith("/alice/1")) ?? "none";
  expect(await gitIn(root, "show", `${kept}:late.txt`)).toBe("late");
  expect(await gitIn(root, "show", `${kept}^:new.txt`)).toBe("new");
  expect(await gitIn(root, "log", "-1", "--format=%s", `${kept}^`)).toBe("mine");
  expect(wire.warnings).toEqual([]);
});

test("P26 a teammate that cannot have a checkout is not spawned, and the lead is told what to do", async () => {
  await using wire = await TeamOnWire.start({ lead: [lead[0] ?? says(""), says("Done.")] });
  const team = await wire.open({ mode: "bypassPermissions" });

  await team.prompt("Work.");
  await team.quiet();

  const [result] = resultsIn(wire.requestsOf("lead").at(-1));
  expect(result).toEqual({
    isError: true,
    text: "Error: There is no git repository here. Make one with git init and a first commit.",
  });
  expect((await team.roster()).members).toEqual([]);
});

test.skipIf(noSandbox)(
  "P26 a command in the sandbox changes its own checkout, and nothing of the person or of others",
  async () => {
    const attempts = [
      "echo x > here.txt && git add -A && git commit -qm mine && echo committed",
      'touch "$OLD/a.txt" 2>&1 || echo refused',
      'rm -f "$OLD/.git/HEAD" 2>&1 || echo refused',
      'git -C "$OLD" commit --allow-empty -m theirs 2>&1 || echo refused',
      "git fetch -q origin && git log -1 --format=%s origin/main",
      "ls .. | wc -l",
    ];
    await using wire = await TeamOnWire.start({
      lead,
      alice: [
        ...attempts.map(
          (command) => () =>
            calls("bash", { command: command.replaceAll("$OLD", join(wire.root, "work")) }),
        ),
        says("Tried."),
      ],
    });
    const { root, open } = await teamInRepository(wire, { sandbox: { mode: "required" } });
    const team = await open();
    const before = await personsFiles(root);

    await team.prompt("Work.");
    await team.quiet();

    const texts = resultsIn(wire.requestsOf("alice").at(-1)).map(({ text }) => text);
    expect(texts).toEqual([
      "committed",
      ...[1, 2, 3].map(() => expect.stringMatching(/refused$/)),
      "first",
      "1",
    ]);
    expect(await personsFiles(root)).toEqual(before);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("the person's\n");
  },
);
