import { readdir, readFile } from "node:fs/promises";
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
    ...{ "a.txt": "a\n", ".gitignore": ".team/\nmodules\n" },
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

test("P26 a checkout begins with what the person has asked for, and is set up before its member works there", async () => {
  await using wire = await TeamOnWire.start({
    lead: [spawns("alice"), calls("wait_for_teammates", {}), says("Done.")],
    alice: [calls("bash", { command: "cat a.txt prepared.txt modules/m" }), says("Read.")],
  });
  const directory = join(wire.root, "elsewhere");
  const { root, open } = await teamInRepository(wire, {
    checkouts: {
      ...{ isolation: "checkout", base: "working", directory, link: ["modules", "missing"] },
      setup: "echo prepared by $PWD > prepared.txt",
    },
  });
  await writeFiles(root, { "modules/m": "a module\n" });
  const team = await open();

  await team.prompt("Work.");
  await team.quiet();

  const path = (await team.roster()).members[0]?.checkout?.path ?? "none";
  expect(path.startsWith(`${directory}/`)).toBe(true);
  const [result] = resultsIn(wire.requestsOf("alice").at(-1));
  expect(result?.text).toBe(`the person's\nprepared by ${path}\na module`);
  const [spawned] = resultsIn(wire.requestsOf("lead").at(-1));
  expect(spawned?.text.split("\n")).toEqual([
    expect.stringContaining("Spawned 'alice'"),
    "Its checkout has no link to missing: there is nothing to link to, or it has files there.",
  ]);
  expect(wire.warnings).toEqual([]);
});

test("P26 where the setup of a checkout fails, its member is not spawned, and nothing of the checkout is left", async () => {
  await using wire = await TeamOnWire.start({ lead: [lead[0] ?? says(""), says("Done.")] });
  const directory = join(wire.root, "elsewhere");
  const { root, open } = await teamInRepository(wire, {
    checkouts: { directory, setup: "echo no network; exit 3" },
  });
  const team = await open();

  await team.prompt("Work.");
  await team.quiet();

  const [result] = resultsIn(wire.requestsOf("lead").at(-1));
  expect(result).toMatchObject({ isError: true });
  expect(result?.text).toMatch(/setup of the checkout has failed: .*no network.*\(exit 3\)/s);
  expect((await team.roster()).members).toEqual([]);
  expect(
    (await readdir(directory, { recursive: true })).filter((it) => it.includes("alice")),
  ).toEqual([]);
  expect(await gitIn(root, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
});

test("P27 the files of a checkout go back to a state that was kept; what stays is said, and nothing is lost", async () => {
  await using wire = await TeamOnWire.start({
    lead,
    alice: [
      calls("write_file", { path: "b.txt", content: "one\n" }),
      says("One."),
      calls("write_file", { path: "b.txt", content: "two\n" }),
      says("Two."),
    ],
  });
  const { open } = await teamInRepository(wire);
  const team = await open();
  await team.prompt("Work.");
  await team.quiet();
  await team.message("alice", "More.");
  await team.quiet();
  const path = (await team.roster()).members[0]?.checkout?.path ?? "none";
  const states = await team.checkoutStates("alice");
  expect(states.map(({ number }) => number)).toEqual([2, 1, 0]);

  const preview = await team.previewCheckoutRewind("alice", 1);
  expect(await readFile(join(path, "b.txt"), "utf8")).toBe("two\n");
  const report = await team.rewindCheckout("alice", 1);

  expect(preview).toMatchObject({ state: states[1], inTheWay: [] });
  expect(preview.files).toEqual([{ path: "b.txt", action: "restore" }]);
  expect(preview.cannot).toEqual([
    expect.stringContaining("Its conversation"),
    expect.stringMatching(/Landing 2 \(taken\) contains later work/),
  ]);
  expect(report).toEqual({ ...preview, before: states[0] });
  expect(await readFile(join(path, "b.txt"), "utf8")).toBe("one\n");
  await team.rewindCheckout("alice", 2);
  expect(await readFile(join(path, "b.txt"), "utf8")).toBe("two\n");
  expect(wire.warnings).toEqual([]);
});

test("a checkout does not go back while its member has commands running, and a member without one has no states", async () => {
  await using wire = await TeamOnWire.start({
    lead: [spawns("alice", { isolation: "checkout" }), spawns("bob"), says("Done.")],
    alice: [calls("background_run", { command: "sleep 1000" }), says("It runs.")],
    bob: [says("Here.")],
  });
  const { open } = await teamInRepository(wire);
  const team = await open();
  await team.prompt("Work.");
  await team.quiet({ backgroundWaitMs: 0 });

  await expect(team.rewindCheckout("alice", 0)).rejects.toMatchObject({
    ...{ code: "team-busy", message: expect.stringContaining("sleep 1000") },
  });
  await expect(team.checkoutStates("bob")).rejects.toMatchObject({
    ...{ code: "checkout-failed", hint: "It works in the lead's directory." },
  });
  await team.stop("alice");
  await expect(team.checkoutStates("alice")).rejects.toMatchObject({ code: "member-ended" });
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
