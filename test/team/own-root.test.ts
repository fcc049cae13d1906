import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

const alice = { name: "alice", role: "coder", prompt: "Write it down." };

test("a member with its own workspace works only there, after a restart too", async () => {
  await using elsewhere = await temporaryDirectory();
  await using teams = await temporaryDirectory();
  const root = await realpath(elsewhere.path);
  await writeFile(join(teams.path, "others.txt"), "not alice's");
  await using wire = await TeamOnWire.start({
    lead: [says("Good.")],
    alice: [
      reply([
        calls("write_file", { path: "note.txt", content: "mine" }),
        calls("write_file", { path: join(teams.path, "others.txt"), content: "taken" }),
      ]),
      says("Written."),
      calls("bash", { command: "pwd" }),
      says("Still here."),
    ],
  });
  const first = await wire.open({
    mode: "acceptEdits",
    approvals: { unattended: () => "nobody is there" },
  });
  await first.spawn({ ...alice, root });
  await first.quiet();
  await first.close();

  expect(await readFile(join(root, "note.txt"), "utf8")).toBe("mine");
  expect(await readFile(join(teams.path, "others.txt"), "utf8")).toBe("not alice's");
  expect(await wire.recordOf("alice")).toMatchObject({ root, cwd: root });

  const second = await wire.open({ mode: "acceptEdits", allow: ["bash(pwd)"] });
  await second.message("alice", "Where are you?");
  await second.quiet();
  expect(wire.shownTo("alice")).toContain(`"content":"${root}"`);
});

test("an edit of the roster moves no member to another workspace", async () => {
  await using elsewhere = await temporaryDirectory();
  await using wire = await TeamOnWire.start({
    lead: [says("Good.")],
    alice: [says("Begun."), calls("bash", { command: "pwd" }), says("Here.")],
  });
  const first = await wire.open();
  await first.spawn(alice);
  await first.quiet();
  await first.close();

  const path = join(wire.teamDirectory, "config.json");
  const moved = { root: elsewhere.path };
  const team = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...team, members: [{ ...team.members[0], ...moved }] }));
  const second = await wire.open({ allow: ["bash(pwd)"] });
  await second.message("alice", "Where are you?");
  await second.quiet();

  expect(wire.warnings.join("\n")).toMatch(/'alice' was not written by troupe/);
  expect(wire.shownTo("alice")).toContain(`"content":"${await realpath(wire.root)}"`);
  expect((await wire.recordOf("alice"))?.root).toBeUndefined();
});
