import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { providerEnvironment } from "../../support/agent-on-wire.ts";
import { makeRepository } from "../../support/repository.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { after, coder, Latch, lastResult, resultsIn, rosterOnDisk } from "./scenes.ts";

test("P21 when two teammates edit one file, the one that has not seen the other's change is refused and shown it", async () => {
  const bobHasWritten = new Latch();
  const edits = (from: string, to: string) =>
    calls("edit_file", { path: "shared.txt", old_text: from, new_text: to });
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      calls("read_file", { path: "shared.txt" }),
      after(bobHasWritten, calls("write_file", { path: "shared.txt", content: "alice's own\n" })),
      edits("two", "2"),
      says("Done."),
    ],
    bob: [calls("read_file", { path: "shared.txt" }), edits("one", "1"), says("Done.")],
  });
  await writeFile(join(wire.root, "shared.txt"), "one\ntwo\n");
  const team = await wire.open({ mode: "acceptEdits" });
  await team.spawn(coder("alice"));
  await wire.server.until(() => wire.requestsOf("alice").length === 2);
  await team.spawn(coder("bob"));
  await wire.server.until(() => wire.requestsOf("bob").length === 3);
  bobHasWritten.open();
  await team.quiet();

  const [, refusal, second] = resultsIn(wire.requestsOf("alice").at(-1));
  expect(refusal).toMatchObject({ isError: true, text: expect.stringMatching(/-one[\s\S]*\+1/) });
  // Once it has seen the change, it may build on it.
  expect(second).toMatchObject({ isError: false });
  expect(await readFile(join(wire.root, "shared.txt"), "utf8")).toBe("1\n2\n");
});

test("P21 when a command changes a file that another teammate has read, both are told of it", async () => {
  const bobHasRead = new Latch();
  const aliceHasChanged = new Latch();
  const changing = calls("bash", { command: "sed -i s/one/1/ shared.txt" });
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      after(bobHasRead, changing),
      calls("bash", { command: "echo more >> shared.txt" }),
      says("Done."),
    ],
    bob: [
      calls("read_file", { path: "shared.txt" }),
      after(aliceHasChanged, calls("glob", { pattern: "*" })),
      says("Done."),
    ],
  });
  await writeFile(join(wire.root, "shared.txt"), "one\ntwo\n");
  const team = await wire.open({ mode: "bypassPermissions" });
  await team.spawn(coder("bob"));
  await wire.server.until(() => wire.requestsOf("bob").length === 2);
  await team.spawn(coder("alice"));
  bobHasRead.open();
  await wire.server.until(() => wire.requestsOf("alice").length === 3);
  aliceHasChanged.open();
  await team.quiet();

  // Once, though the second command has changed it, too.
  const told = resultsIn(wire.requestsOf("alice").at(-1)).map(({ text }) => text);
  expect(told[0]).toMatch(/Files that others work with changed meanwhile.*: shared\.txt \(bob\)$/);
  expect(told[1]).not.toContain("shared.txt");
  const [, ...mail] = shownIn(wire.requestsOf("bob")[2]).split("While a command of alice ran");
  expect(mail).toEqual([expect.stringContaining("read or written in this run: shared.txt.")]);
});

test("git that takes back others' work asks in a directory of several members, and not for one alone", async () => {
  const cleaning = calls("bash", { command: "git clean -n -f" });
  await using wire = await TeamOnWire.start({
    lead: [cleaning, says("Cleaned."), says("Noted."), cleaning, says("Cleaned again.")],
    alice: [says("Done.")],
  });
  await makeRepository(wire.root);
  const rules = { allow: ["bash(git clean:*)"] };
  const team = await wire.open({
    approvals: { unattended: () => "nobody" },
    ...rules,
  });
  await team.prompt("Clean up.");
  expect((await team.quiet()).denied).toEqual([]);

  await team.spawn(coder("alice"));
  await team.quiet();
  await team.prompt("Clean up again.");

  expect((await team.quiet()).denied).toMatchObject([
    {
      from: "lead",
      subject: { tool: "bash", reason: expect.stringContaining("git clean may take back") },
    },
  ]);
});

test("P20 no teammate writes outside the workspace or into .team by a file tool, not even in the widest mode", async () => {
  await using elsewhere = await temporaryDirectory();
  const targets = (away: string) => [
    "../escaped.txt",
    join(away, "absolute.txt"),
    "link/through.txt",
    ".team/config.json",
    ".team/inbox/lead.jsonl",
    "sub/../../escaped.txt",
    "team-link/config.json",
  ];
  const tries = targets(elsewhere.path).map((path) => calls("write_file", { path, content: "x" }));
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      reply([...tries, calls("write_file", { path: "inside.txt", content: "x" })]),
      says("Over."),
    ],
  });
  await symlink(elsewhere.path, join(wire.root, "link"));
  await symlink(wire.teamDirectory, join(wire.root, "team-link"));
  await mkdir(join(wire.root, "sub"));
  const team = await wire.open({ mode: "bypassPermissions" });
  await team.spawn(coder("alice"));
  await team.quiet();

  const results = resultsIn(wire.requestsOf("alice").at(-1));
  expect(results.map(({ isError }) => isError)).toEqual([...tries.map(() => true), false]);
  expect(await readdir(elsewhere.path)).toEqual([]);
  expect(existsSync(join(wire.root, "..", "escaped.txt"))).toBe(false);
  expect((await rosterOnDisk(wire)).members.map(({ name }) => name)).toEqual(["alice"]);
});

test("P24 a provider's key is not in teammates' commands, and is masked in files they read, mail they send and tasks they create", async () => {
  let key = "";
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      calls("bash", { command: "env; cat key.txt" }),
      () =>
        reply([
          calls("send_message", { to: "bob", content: `Use ${key} to log in.` }),
          calls("create_task", { subject: `Use ${key}`, owner: "bob" }),
          calls("read_file", { path: "key.txt" }),
        ]),
      () => says(`The key is ${key}.`),
    ],
    bob: [calls("update_task", { task_id: "1", status: "cancelled" }), says("Over.")],
  });
  const environment = providerEnvironment(wire.server);
  key = environment.ANTHROPIC_API_KEY ?? "";
  await writeFile(join(wire.root, "key.txt"), `secret: ${key}\n`);
  const team = await wire.open({ mode: "bypassPermissions", autoclaim: false });
  await team.spawn(coder("bob"));
  await team.spawn(coder("alice"));
  await team.quiet();

  const output = resultsIn(wire.requestsOf("alice")[1])[0]?.text ?? "";
  expect(output).toContain("PATH=");
  expect(output).not.toContain("ANTHROPIC_API_KEY");
  expect(output).not.toContain("OPENAI_API_KEY");
  expect(output).toContain("secret: [key]");
  expect(lastResult(wire.requestsOf("alice")[2])?.text).toContain("secret: [key]");
  expect(shownIn(wire.requestsOf("bob").at(-1))).toContain("Use [key] to log in.");
  expect(shownIn(wire.requestsOf("lead").at(-1))).toContain("The key is [key].");
  for (const secret of [key, environment.OPENAI_API_KEY ?? ""]) {
    for (const { text } of wire.server.requests) expect(text).not.toContain(secret);
    for (const text of await allTexts(wire.teamDirectory)) expect(text).not.toContain(secret);
  }
});

/** Everything that is stored below a directory. */
async function allTexts(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")));
}
