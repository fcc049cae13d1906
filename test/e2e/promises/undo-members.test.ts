import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { lead } from "../../../src/protocol/ids.ts";
import type { Team } from "../../../src/team/team.ts";
import type { TranscriptPage } from "../../../src/team/view/team-view.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { teamPlace } from "../../support/team.ts";
import { shownIn, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { never, spawns } from "./scenes.ts";

const free = { mode: "acceptEdits", allow: ["bash"] } as const;
const coder = { name: "alice", role: "coder" } as const;

test("P39 a teammate from before the prompt that was spawned again since goes back, and does not end", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Yes.")] });
  const team = await wire.open(free);
  await team.spawn({ ...coder, prompt: "First work." });
  await team.quiet();
  const prompt = await promptOf(team, "Go on.");
  await team.spawn({ ...coder, role: "tester", prompt: "Second work." });
  await team.quiet();

  const { members, cannot } = await team.previewRewind(prompt);
  await team.rewind(prompt);

  expect(members).toContainEqual({ member: "alice", effect: "goes-back" });
  expect(cannot).toContain("'alice' was spawned again since, and stays as it was spawned then.");
  expect(await wire.statusOf("alice")).not.toBe("shutdown");
  await team.message("alice", "Third work.");
  await team.quiet();
  expect(wire.shownTo("alice")).toMatch(/First work.*Third work/);
  expect(wire.shownTo("alice")).not.toContain("Second work");
});

test("P39 a teammate that was spawned afresh since is there, without what came since", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Yes.")] });
  const team = await wire.open(free);
  await team.spawn({ ...coder, prompt: "First work." });
  await team.quiet();
  const prompt = await promptOf(team, "Go on.");
  await team.spawn({ ...coder, prompt: "Second work.", fresh: true });
  await team.quiet();

  const { cannot } = await team.rewind(prompt);
  await team.message("alice", "Third work.");
  await team.quiet();

  expect(cannot).toContain(
    "'alice' was spawned with a new conversation since: what it knew then does not come back.",
  );
  expect(wire.shownTo("alice")).toContain("Third work");
  expect(wire.shownTo("alice")).not.toMatch(/First work|Second work/);
});

test.each([
  ["was ended by going back", false],
  ["had ended before", true],
])("P39 the next teammate of a name that %s is not shown what was undone", async (_, isStopped) => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Yes.")] });
  const team = await wire.open(free);
  const prompt = await promptOf(team, "Go on.");
  await team.spawn({ ...coder, prompt: "Undone work." });
  await team.quiet();
  if (isStopped) await team.stop("alice");
  await team.rewind(prompt);
  expect(await wire.statusOf("alice")).toBe("shutdown");

  await team.spawn({ ...coder, prompt: "New work." });
  await team.quiet();

  expect(wire.shownTo("alice")).toContain("New work");
  expect(wire.shownTo("alice")).not.toMatch(/Undone work|Yes\./);
});

test("P39 a question to the lead that was asked since is void: the caller is told, and can ask again", async () => {
  const sleep = calls("bash", { command: "sleep 600", run_in_background: true });
  await using wire = await TeamOnWire.start({ lead: [reply([sleep]), says("It runs.")] });
  const team = await wire.open({ ...free, structuredResults: true });
  const schema = z.object({ ok: z.boolean() });
  const asked = team.ask("Is it?", { schema, id: "question" });
  const told = expect(asked).rejects.toMatchObject({
    code: "result-missing",
    message: expect.stringContaining("the person went back to an earlier prompt"),
  });
  // The lead is reminded of the question, and then at rest with a command in the background.
  await wire.requested("lead", 3);
  const prompt = await rest(team, () => team.checkpoints()).then(([first]) => first?.id ?? "");
  await team.rewind(prompt);
  await told;
  expect(await team.openRequests()).toEqual([]);

  const stop = new AbortController();
  const again = team.ask("Is it now?", { schema, id: "question", signal: stop.signal });
  await wire.requested("lead", wire.requestsOf("lead").length + 1);
  stop.abort();
  await expect(again).rejects.toThrow();

  expect(wire.shownTo("lead")).toContain("Is it now?");
  expect(wire.shownTo("lead")).not.toContain("Is it?");
});

test("P39 crons, rules, modes and models since the prompt are named, and stay", async () => {
  const cron = calls("schedule_cron", { cron: "0 9 * * *", prompt: "Look." });
  let made = "";
  await using wire = await TeamOnWire.start({
    lead: [
      cron,
      says("Ready."),
      ({ text }) => {
        made = /Scheduled (\w+)/.exec(text)?.[1] ?? "";
        const cancels = [made, "00000000"].map((id) => calls("cancel_cron", { id }));
        return reply([cron, ...cancels]);
      },
      says("Ok."),
    ],
  });
  const team = await wire.open(free);
  const kept = { decision: "deny", rule: "bash(rm:*)" } as const;
  const removed = { decision: "deny", rule: "bash(mv:*)" } as const;
  await team.addRule(removed);
  await promptOf(team, "Begin.");
  const prompt = await promptOf(team, "Go on.");
  await team.addRule(kept);
  await team.removeRule(removed);
  await team.setMode("lead", "plan");
  await team.setModel("lead", { model: "anthropic/claude-sonnet-5", effort: "low" });

  const { cannot } = await team.previewRewind(prompt);
  await team.rewind(prompt);

  expect(cannot).toEqual([
    expect.stringMatching(/^The cron \w+ \(0 9 \* \* \*\) was made since, and stays\.$/),
    `The cron ${made} was cancelled since, and stays so.`,
    'The rule "deny bash(rm:*)" was added since, and stays.',
    'The rule "deny bash(mv:*)" was removed since, and stays so.',
    "The permission mode of 'lead' was changed since, and stays 'plan'.",
    "The model of 'lead' was set since, and stays: anthropic/claude-sonnet-5, effort low.",
  ]);
  expect(team.rules()).toMatchObject([{ from: "start" }, kept]);
});

test("P39 a cron that came once since the prompt is named: it does not come again", async () => {
  const once = calls("schedule_cron", { cron: "* * * * *", prompt: "Look.", once: true });
  await using wire = await TeamOnWire.start({
    lead: [once, says("Ready."), says("Ok."), says("Looked.")],
  });
  const clock = new ManualClock();
  const team = await wire.open({ ...free, place: teamPlace(wire.root, { clock }) });
  await promptOf(team, "Begin.");
  const [cron] = await team.view().transcript(lead, { limit: 9 }).then(scheduledIn);
  clock.advance(1_000);
  const prompt = await promptOf(team, "Go on.");
  const before = await team.previewRewind(prompt);

  clock.advance(60_000);
  await wire.requested("lead", 4);
  const after = await rest(team, () => team.previewRewind(prompt));

  expect(before.cannot).toEqual([]);
  expect(after.cannot).toEqual([`The cron ${cron} came since, and does not come again.`]);
});

test.each([
  { jump: "back", offsetMs: -600_000, cannot: [expect.stringContaining("clock was set back")] },
  { jump: "forward", offsetMs: 600_000, cannot: [] },
  { jump: "back a little, as time servers do", offsetMs: -500, cannot: [] },
])("P39 a clock that is set $jump after a prompt: what is said of it", async (it) => {
  await using wire = await TeamOnWire.start({ lead: [says("Ready.")] });
  const clock = new ManualClock();
  const team = await wire.open({ ...free, place: teamPlace(wire.root, { clock }) });
  const prompt = await promptOf(team, "Begin.");
  const before = await team.previewRewind(prompt);

  clock.jump(it.offsetMs);
  await promptOf(team, "Go on.");
  const after = await team.previewRewind(prompt);

  expect(before.cannot).toEqual([]);
  expect(after.cannot).toEqual(it.cannot);
});

test("P39 where the events since the prompt are not all kept, that is said", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Ready.")] });
  const first = await wire.open(free);
  const prompt = await promptOf(first, "Begin.");
  const before = await first.previewRewind(prompt);
  await first.close();
  await rm(join(wire.teamDirectory, "events.jsonl"));

  const second = await wire.open(free);
  const after = await second.previewRewind(prompt);

  expect(before.cannot).toEqual([]);
  expect(after.cannot).toEqual([expect.stringContaining("no longer known")]);
});

test("P39 work for an earlier prompt that was under way goes on by itself, and its result comes to the lead", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([spawns("alice")]), says("Begun."), says("Second answer."), says("Noted.")],
    alice: [reply([calls("bash", { command: "true" })]), never, says("Finished.")],
  });
  const team = await wire.open(free);
  await team.prompt("First.");
  await wire.requested("alice", 2);
  await wire.requested("lead", 2);
  await team.prompt("Second.");
  await wire.requested("lead", 3);
  const checkpoint = (await team.checkpoints()).find(({ text }) => text === "Second.");
  team.interrupt();
  await team.quiet();

  await team.rewind(checkpoint?.id ?? "");
  await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(3);
  expect(wire.shownTo("lead")).toMatch(/First\..*Finished\./);
  expect(wire.shownTo("lead")).not.toContain("Second.");
});

test("P39 mail that others sent before the lead saw the prompt is given again, and wakes the lead", async () => {
  let team: Team | undefined;
  await using wire = await TeamOnWire.start({
    lead: [
      reply([spawns("alice")]),
      async () => {
        await wire.requested("alice", 1);
        await team?.prompt("Second.");
        await wire.requested("alice", 2);
        return says("First answer.");
      },
      says("Second answer."),
    ],
    alice: [
      async () => {
        await wire.requested("lead", 2);
        return reply([calls("send_message", { to: "lead", content: "Half is done." })]);
      },
      says("Finished."),
    ],
  });
  team = await wire.open(free);
  await team.prompt("First.");
  await team.quiet();
  const checkpoint = (await team.checkpoints()).find(({ text }) => text === "Second.");
  const before = wire.requestsOf("lead").length;

  await team.rewind(checkpoint?.id ?? "");
  await team.quiet();

  expect(wire.requestsOf("lead").length).toBeGreaterThan(before);
  expect(wire.shownTo("lead")).toMatch(/First\..*Half is done\./);
  expect(wire.shownTo("lead")).not.toContain("Second.");
});

test("P39 a prompt that came with the result of a call is one to go back to", async () => {
  let team: Team | undefined;
  await using wire = await TeamOnWire.start({
    lead: [
      reply([calls("write_file", { path: "before.txt", content: "one" })]),
      async () => {
        await team?.prompt("Second.");
        return reply([calls("read_inbox", {})]);
      },
      reply([calls("write_file", { path: "after.txt", content: "two" })]),
      says("Done."),
      says("Third answer."),
    ],
  });
  team = await wire.open(free);
  await team.prompt("First.");
  await team.quiet();
  const checkpoints = await team.checkpoints();
  expect(checkpoints.map(({ text }) => text)).toEqual(["First.", "Second."]);

  const { restored } = await team.rewind(checkpoints[1]?.id ?? "");
  await team.prompt("Third.");
  await team.quiet();

  expect(restored.map((path) => path.slice(wire.root.length + 1))).toEqual(["after.txt"]);
  const shown = shownIn(wire.requestsOf("lead").at(-1));
  expect(shown).toMatch(
    /First\..*before\.txt.*Outcome unknown: the person took the team back.*Third/,
  );
  expect(shown).not.toMatch(/Second|after\.txt/);
  expect(wire.warnings).toEqual([]);
});

test("two rewinds at once are done one after the other, and what is written meanwhile is not lost", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Yes.")] });
  const team = await wire.open(free);
  const watched = new Watched(team);
  await team.spawn({ ...coder, prompt: "First work." });
  const [first, second, third] = [
    await promptOf(team, "First."),
    await promptOf(team, "Second."),
    await promptOf(team, "Third."),
  ];

  const rewinds = [team.rewind(third), team.rewind(first), team.rewind(second)];
  const meanwhile = team.prompt("Fourth.");
  const [, , last] = await Promise.allSettled(rewinds);
  await meanwhile;
  await team.quiet();

  expect(last).toMatchObject({ status: "rejected", reason: { code: "request-unknown" } });
  expect(watched.events.filter(({ type }) => type === "rewind")).toMatchObject([
    { id: third },
    { id: first },
  ]);
  expect((await team.checkpoints()).map(({ text }) => text)).toEqual(["Fourth."]);
  expect(wire.shownTo("lead")).not.toMatch(/First\.|Second\.|Third\./);
});

/** Sends a prompt, waits until it is done, and returns its id. */
function scheduledIn({ entries }: TranscriptPage): string[] {
  return entries.flatMap(({ entry }) => {
    const output = entry?.type === "tool-result" ? entry.output : "";
    return /Scheduled (\w+)/.exec(output)?.[1] ?? [];
  });
}

async function promptOf(team: Team, text: string): Promise<string> {
  const { id } = await team.prompt(text);
  await team.quiet({ backgroundWaitMs: 0 });
  return id;
}

/** What `look` returns when no member runs, though commands may run in the background. */
async function rest<T>(team: Team, look: () => Promise<T>): Promise<T> {
  await team.quiet({ backgroundWaitMs: 0 });
  return look();
}
