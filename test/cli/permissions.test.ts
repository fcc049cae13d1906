import { expect, test } from "vitest";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openStore } from "../support/team.ts";
import { TeamOnWire, Watched } from "../support/team-on-wire.ts";
import { troupe, troupeIn } from "./troupe.ts";

test("a rule is added to the running team from another shell, listed, and taken back", async () => {
  await using directory = await temporaryDirectory();
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const team = await wire.open({ allow: [{ rule: "bash(ls)", origin: "--allow" }] });
  const watched = new Watched(team);
  const shell = (...argv: string[]) =>
    troupeIn({ root: directory.path, env: {}, view: team.view() }, "permissions", ...argv);
  const denied = { decision: "deny", rule: "read_file(.env)", from: "person" };

  const added = await shell("deny", "read_file(.env)");
  await watched.until(({ type }) => type === "rule-change", 1);
  expect(team.rules()).toMatchObject([{ rule: "bash(ls)" }, denied]);
  const listed = await shell();
  const json = JSON.parse((await shell("--json")).out.join("\n"));
  const removed = await shell("remove", "deny read_file(.env)");
  await watched.until(({ type }) => type === "rule-change", 2);

  expect(added.out).toEqual(["Rule added: deny read_file(.env)."]);
  expect(listed.out.join("\n")).toMatch(/^deny {2}read_file\(.env\) {2}you added it {2}since 20/);
  expect(json).toMatchObject({ rules: [denied], running: { pid: process.pid } });
  expect(removed.out).toEqual(["Rule removed: deny read_file(.env)."]);
  expect(team.rules()).toMatchObject([{ rule: "bash(ls)" }]);
});

test.each([
  ["what is no rule", ["allow", "npm test"], /"npm test" is not a permission rule/],
  ["an unknown rule", ["remove", "bash(ls)"], /The team has no rule bash\(ls\)/],
  ["an unknown word", ["permit", "bash(ls)"], /Say what to do with which rule/],
  ["no rule at all", ["allow"], /Say what to do with which rule/],
])("%s is refused", async (_title, argv, refusal) => {
  await using directory = await temporaryDirectory();
  await using _store = await openStore(directory.path);

  const { code, err } = await troupe(directory.path, "permissions", ...argv);

  expect(code).not.toBe(0);
  expect(err.join("\n")).toMatch(refusal);
});

test("without a running team the rules are there to see, and a change waits", async () => {
  await using directory = await temporaryDirectory();
  await (await openStore(directory.path))[Symbol.asyncDispose]();

  const listed = await troupe(directory.path, "permissions");
  const added = await troupe(directory.path, "permissions", "ask", "bash(git push:*)");

  expect(listed.out).toEqual(["No rule was added to this team."]);
  expect(added.out).toEqual(["Rule added: ask bash(git push:*), when the team runs again."]);
});
