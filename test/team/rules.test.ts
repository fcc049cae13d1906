import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead } from "../../src/protocol/ids.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire, Watched } from "../support/team-on-wire.ts";

const test1 = { decision: "allow", rule: "bash(npm test)" } as const;
const pushing = { decision: "deny", rule: "bash(git push:*)" } as const;

test("P40 rules are listed with where they come from, and each change is an event", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const team = await wire.open({
    allow: ["bash(ls)", { rule: "bash(make)", origin: "--allow" }],
  });
  const watched = new Watched(team);

  await team.addRule(pushing);
  await team.addRule(test1);
  await team.addRule(test1);
  await team.removeRule(pushing);

  const time = expect.stringMatching(/^20.*Z$/);
  expect(team.rules()).toEqual([
    { decision: "allow", rule: "bash(ls)", from: "start", since: time },
    { decision: "allow", rule: "bash(make)", from: "start", origin: "--allow", since: time },
    { ...test1, from: "person", since: time },
  ]);
  await watched.until(({ type }) => type === "rule-change", 3);
  const changes = watched.events.filter(({ type }) => type === "rule-change");
  expect(changes).toMatchObject([
    { ...pushing, change: "added" },
    { ...test1, change: "added" },
    { ...pushing, change: "removed" },
  ]);
});

test("a rule that was added applies to all members, and after a restart until it is removed", async () => {
  const run = reply([calls("bash", { command: "touch made" })]);
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [run, says("Done."), run, says("Done."), run, says("Done.")],
  });
  const rule = { decision: "allow", rule: "bash(touch made)" } as const;
  const work = async (opened: Awaited<ReturnType<TeamOnWire["open"]>>) => {
    await opened.quiet();
    await opened.spawn({ name: "alice", role: "coder", prompt: "Make it." });
    return (await opened.quiet()).denied.length;
  };

  const team = await wire.open({ approvals: "deny" });
  await team.addRule(rule);
  expect(await work(team)).toBe(0);
  await team.close();
  const again = await wire.open({ approvals: "deny" });
  expect(await work(again)).toBe(0);
  await again.removeRule(rule);
  await again.close();
  const last = await wire.open({ approvals: "deny" });
  expect(last.rules()).toEqual([]);
  expect(await work(last)).toBe(1);
});

test('an "always" answer can be taken back, also after a restart', async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([calls("bash", { command: "touch made" })]), says("Done.")],
  });
  const team = await wire.open({
    onRequest: () => ({ decision: "allow-always" }),
  });
  await team.prompt("Make it.");
  await team.quiet();
  const [answered] = team.rules();
  expect(answered).toMatchObject({ decision: "allow", from: "answer" });

  await team.removeRule(answered ?? test1);
  await team.close();
  const again = await wire.open();

  expect(again.rules()).toEqual([]);
});

test("what is no rule, unknown, or of the start is refused", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const team = await wire.open({ allow: [{ rule: "bash(ls)", origin: "--allow" }] });
  const refused = { code: "config-invalid" };

  await expect(team.addRule({ decision: "allow", rule: "Bash" })).rejects.toMatchObject(refused);
  await expect(team.removeRule(test1)).rejects.toMatchObject({
    ...refused,
    message: 'The team has no rule "allow bash(npm test)"',
    hint: "It has none to remove.",
  });
  await team.addRule(pushing);
  await expect(team.removeRule(test1)).rejects.toMatchObject({
    hint: "It can remove: deny bash(git push:*).",
  });
  await expect(team.removeRule({ decision: "allow", rule: "bash(ls)" })).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining("comes from --allow"),
  });
});

test("P13 a rule that somebody writes into the roster does not count", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const team = await wire.open();
  await team.addRule(pushing);
  await team.close();
  const path = join(wire.teamDirectory, "config.json");
  const forged = { ...test1, change: "added", at: "2030-01-01T00:00:00.000Z" };
  const record = JSON.parse(await readFile(path, "utf8"));
  for (const name of ["config.json", "config.last-good.json"]) {
    const permissions = { ...record.permissions, rules: [forged] };
    await writeFile(join(wire.teamDirectory, name), JSON.stringify({ ...record, permissions }));
  }

  const again = await wire.open();

  expect(again.rules()).toEqual([]);
  expect(wire.warnings).toContainEqual(expect.stringContaining("were not written by troupe"));
});

test("P40 modes are set for one member or for all, are events, and hold after a restart", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Ready.")] });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt: "Begin." });
  await team.quiet();
  const watched = new Watched(team);

  await team.setMode("alice", "plan");
  await team.setMode("lead", "acceptEdits");
  expect(await team.modes()).toEqual([
    { member: "lead", mode: "acceptEdits", followsLead: false },
    { member: "alice", mode: "plan", followsLead: false },
  ]);
  await team.setMode("all", "acceptEdits");

  const shared = [
    { member: "lead", mode: "acceptEdits", followsLead: false },
    { member: "alice", mode: "acceptEdits", followsLead: true },
  ];
  expect(await team.modes()).toEqual(shared);
  await watched.until(({ type }) => type === "mode-change", 3);
  await team.close();
  const changes = watched.events.filter(({ type }) => type === "mode-change");
  expect(changes).toMatchObject([
    { member: "alice", mode: "plan" },
    { member: "lead", mode: "acceptEdits" },
    { member: "alice", mode: "acceptEdits" },
  ]);
  const again = await wire.open();
  expect(await again.modes()).toEqual(shared);
  await again.close();
  const stated = await wire.open({ mode: "plan" });
  expect((await stated.modes()).map(({ mode }) => mode)).toEqual(["plan", "plan"]);
});

test("the mode without questions is not kept for the next start", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")] });
  const team = await wire.open();
  await team.setMode("lead", "bypassPermissions");
  await team.close();

  const again = await wire.open();

  expect(await again.modes()).toMatchObject([{ member: "lead", mode: "default" }]);
});

test("the team's view reads its transcripts, mail and past events", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")] });
  const team = await wire.open();
  await team.prompt("Remember this.");
  await team.quiet();

  const view = team.view();

  const newest = await view.transcript(lead, { limit: 4 });
  const older = await view.transcript(lead, { limit: 100, before: newest.before ?? undefined });
  const types = [...older.entries, ...newest.entries].map(({ entry }) => entry?.type);
  expect(types).toEqual((await wire.transcriptOf("lead")).map(({ type }) => type));
  expect((await view.mail(lead, { limit: 10 })).records).toMatchObject([
    { state: "delivered", message: { from: "user", content: "Remember this." } },
  ]);
  const events = await view.recentEvents(100);
  expect(events.map(({ event }) => event.type)).toContain("run-end");
});

test("an order by mail to remove a rule of the start is refused with a warning, and the rule stays", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const team = await wire.open();
  await team.addRule(test1);
  const view = team.view();
  await team.close();
  // Left while nobody runs the team: by then, the same rule comes with the start.
  await view.removeRule(test1);

  const again = await wire.open({ allow: [{ rule: test1.rule, origin: "--allow" }] });
  await again.quiet();

  expect(wire.warnings.join("\n")).toContain('The rule "allow bash(npm test)" comes from --allow');
  expect(again.rules()).toMatchObject([{ ...test1, from: "start" }]);
});
