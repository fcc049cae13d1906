import { expect, test } from "vitest";
import { z } from "zod";
import { CronId } from "../../../src/protocol/cron.ts";
import { lead, MemberName, newMessageId, user } from "../../../src/protocol/ids.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import { type MemberCall, whatStays } from "../../../src/team/rewind/what-stays.ts";
import { defineTool, success, type Tool } from "../../../src/tools/tool.ts";
import { openTestProtocols } from "../../support/protocols.ts";
import { SetMember } from "../../support/set-member.ts";

const [alice, bob] = [MemberName.parse("alice"), MemberName.parse("bob")];
const turnStart = { type: "turn-start", member: lead, turn: 1 } as const;
const forgotten = expect.stringMatching(/changes of modes and models are no longer known/);

test("where nothing has happened since, nothing stays", async () => {
  const it = openStory();
  it.pass();

  expect(await it.stays()).toEqual([]);
});

test("commands and the program's own tools are named, by whom they were called; other calls are not", async () => {
  const it = openStory();
  it.pass();
  const calls = [
    callOf(alice, "bash", { command: "make" }),
    callOf(alice, "write_file", { path: "a.txt" }),
    callOf(lead, "deploy", {}),
    callOf(lead, "background_run", { command: "npm run dev" }),
  ];

  expect(await it.stays({ calls, tools: ["deploy"] })).toEqual([
    "What a command of alice did is not undone: make",
    "What a command of lead did is not undone: npm run dev",
    "What deploy did, which lead called, is not undone.",
  ]);
});

test("of many commands 20 are named, and the others counted", async () => {
  const it = openStory();
  it.pass();
  const commands = (count: number) =>
    Array.from({ length: count }, (_, index) => callOf(lead, "bash", { command: `run ${index}` }));

  const [twenty, more] = [
    await it.stays({ calls: commands(20) }),
    await it.stays({ calls: commands(23) }),
  ];

  expect(twenty).toHaveLength(20);
  expect(more).toHaveLength(21);
  expect(more.slice(-2)).toEqual([
    "What a command of lead did is not undone: run 19",
    "3 more commands are not undone.",
  ]);
});

test("files that are left are named with the reason, and it is said where there may be others", async () => {
  const it = openStory();
  it.pass();
  const files = [
    { path: "/a.txt", action: "leave", problem: "a link is in its place" },
    { path: "/b.txt", action: "restore", problem: "something else has changed it since" },
    { path: "/c.txt", action: "remove" },
  ] as const;

  expect(await it.stays({ files })).toEqual(["/a.txt is left as it is: a link is in its place."]);
  expect(await it.stays({ isIncomplete: true })).toEqual([
    "So many files were changed since that the first changes are no longer known.",
  ]);
});

test("tasks that were created or changed since stay", async () => {
  const it = openStory();
  const { tasks } = it.store;
  await tasks.create({ subject: "untouched", created_by: lead });
  const changed = await tasks.create({ subject: "changed", created_by: lead });
  it.pass();
  await tasks.create({ subject: "new", created_by: lead });
  await tasks.update(changed.id, { status: "cancelled" }, { by: lead });

  expect(await it.stays()).toEqual([
    "Task 2 was created or changed since, and stays as it is.",
    "Task 3 was created or changed since, and stays as it is.",
  ]);
});

test("results that were submitted since stay, by their key if they have one", async () => {
  const it = openStory();
  await it.submit("earlier");
  it.pass();
  await it.submit("report");
  const { id } = await it.submit(undefined);
  await it.store.requests.open({ type: "plan", from: alice, to: lead, subject: { plan: "1. …" } });

  expect(await it.stays()).toEqual([
    "The result of 'report' was submitted since, and stays.",
    `The result of '${id}' was submitted since, and stays.`,
  ]);
});

test("crons that were made since stay, and those that are gone since are named", async () => {
  const it = openStory();
  await it.cron("aaaaaaaa");
  it.pass();
  await it.cron("bbbbbbbb");
  const cancel = (id: unknown, hasFailed = false): MemberCall => ({
    ...callOf(lead, "cancel_cron", { id }),
    hasFailed,
  });
  const calls = [cancel("cccccccc"), cancel("aaaaaaaa"), cancel("dddddddd", true), cancel("no id")];

  expect(await it.stays({ calls })).toEqual([
    "The cron bbbbbbbb (0 9 * * *) was made since, and stays.",
    "The cron cccccccc was cancelled since, and stays so.",
  ]);
});

test("a cron that came since, and does not come again, is named once, unless it was cancelled", async () => {
  const it = openStory();
  await it.cron("aaaaaaaa");
  await it.sendCron("eeeeeeee");
  it.pass();
  for (const id of ["aaaaaaaa", "ffffffff", "ffffffff", "cccccccc"]) await it.sendCron(id);
  await it.store.send(lead, { type: "message", from: user, content: "Not of a cron." });
  const calls = [callOf(lead, "cancel_cron", { id: "cccccccc" })];

  expect(await it.stays({ calls })).toEqual([
    "The cron cccccccc was cancelled since, and stays so.",
    "The cron ffffffff came since, and does not come again.",
  ]);
});

test("rules that the person has added or removed since stay so", async () => {
  const it = openStory();
  const { rules } = it.protocols.permissions;
  await rules.add({ decision: "deny", rule: "bash(before:*)" });
  await rules.add({ decision: "deny", rule: "bash(removed:*)" });
  await rules.add({ decision: "deny", rule: "bash(long gone:*)" });
  await rules.remove({ decision: "deny", rule: "bash(long gone:*)" });
  it.pass();
  await rules.add({ decision: "allow", rule: "bash(added:*)" });
  await rules.remove({ decision: "deny", rule: "bash(removed:*)" });

  expect(await it.stays()).toEqual([
    'The rule "allow bash(added:*)" was added since, and stays.',
    'The rule "deny bash(removed:*)" was removed since, and stays so.',
  ]);
});

test("of the modes and models that were set since, the last of each member is named", async () => {
  const it = openStory();
  it.say({ type: "mode-change", member: bob, mode: "plan" });
  it.pass();
  it.say({ type: "mode-change", member: alice, mode: "plan" });
  it.say({ type: "mode-change", member: alice, mode: "acceptEdits" });
  it.say({ type: "mode-change", mode: "default" });
  it.say({ type: "model-set", member: alice, model: "anthropic/one", effort: "low" });
  it.say({ type: "model-set", model: "anthropic/two" });

  expect(await it.stays()).toEqual([
    "The permission mode of 'alice' was changed since, and stays 'acceptEdits'.",
    "The permission mode of 'lead' was changed since, and stays 'default'.",
    "The model of 'alice' was set since, and stays: anthropic/one, effort low.",
    "The model of 'lead' was set since, and stays: anthropic/two.",
  ]);
});

test("where the events do not reach back to the prompt, that is said", async () => {
  const it = openStory({ hasEvents: false });
  it.say({ type: "mode-change", member: alice, mode: "plan" });

  expect(await it.stays()).toEqual([
    "The permission mode of 'alice' was changed since, and stays 'plan'.",
    forgotten,
  ]);
});

test.each([
  { what: "earlier events after the prompt", afterMs: -2_000, isSaid: true },
  { what: "events after it that are hardly earlier", afterMs: -1_000, isSaid: false },
  { what: "later events after it", afterMs: 60_000, isSaid: false },
])("$what: that the clock was set back is said: $isSaid", async ({ afterMs, isSaid }) => {
  const it = openStory();
  it.pass();
  it.see();
  it.clock.jump(afterMs);
  it.say(turnStart);

  expect(await it.stays()).toEqual(isSaid ? [expect.stringContaining("clock was set back")] : []);
});

test.each([
  { what: "later events before the prompt", beforeMs: 2_000, isSaid: true },
  { what: "events before it that are hardly later", beforeMs: 1_000, isSaid: false },
  { what: "earlier events before it", beforeMs: -60_000, isSaid: false },
])("$what: that the clock was set back is said: $isSaid", async ({ beforeMs, isSaid }) => {
  const it = openStory();
  it.pass();
  it.clock.jump(beforeMs);
  it.say(turnStart);
  it.clock.jump(-beforeMs);
  it.see();

  expect(await it.stays()).toEqual(isSaid ? [expect.stringContaining("clock was set back")] : []);
});

test("members that have ended or were spawned again since are not as they were", async () => {
  const it = openStory();
  const early = it.now;
  for (const name of ["ended", "gone", "again", "afresh"]) await it.seen(name);
  it.pass();
  const late = it.now;
  for (const name of ["ended", "brief"]) await it.seen(name);
  await it.forget("afresh");
  await it.seen("afresh");
  await it.enlist("same", { spawned_at: early, alive_since: early });
  await it.enlist("new", { spawned_at: late, alive_since: late });
  await it.enlist("ended", { status: "shutdown", spawned_at: early });
  await it.enlist("gone", { status: "shutdown", spawned_at: early });
  await it.enlist("brief", { status: "shutdown", spawned_at: late });
  await it.enlist("again", { spawned_at: late, alive_since: early });
  await it.enlist("afresh", { spawned_at: late, alive_since: early });
  await it.enlist("silent", { spawned_at: late, alive_since: early });

  expect(await it.stays()).toEqual([
    "'ended' has ended since, and does not come back.",
    "'again' was spawned again since, and stays as it was spawned then.",
    "'afresh' was spawned with a new conversation since: what it knew then does not come back.",
    "'silent' was spawned again since, and stays as it was spawned then.",
  ]);
});

test("a member that was there at the prompt has ended since, though it was spawned again meanwhile", async () => {
  const it = openStory();
  const early = it.now;
  it.pass();
  await it.seen("alice");
  await it.enlist("alice", { status: "shutdown", spawned_at: it.now, alive_since: early });

  expect(await it.stays()).toEqual(["'alice' has ended since, and does not come back."]);
});

test("members with commands in the background are named", async () => {
  const it = openStory();
  it.pass();
  const [busy, idle] = [new SetMember(alice), new SetMember(bob)];
  busy.set({ backgroundJobs: ["sleep 600"] });
  for (const member of [busy, idle]) it.members.add(member);

  expect(await it.stays()).toEqual(["'alice' has commands in the background, which run on."]);
});

interface Undone {
  calls?: readonly MemberCall[];
  files?: Parameters<typeof whatStays>[2]["files"];
  isIncomplete?: boolean;
  /** The names of the program's own tools. */
  tools?: readonly string[];
}

/** A team in memory. `pass` is the moment of the prompt. */
function openStory({ hasEvents = true }: { hasEvents?: boolean } = {}) {
  const { clock, store, members, protocols } = openTestProtocols();
  const id = newMessageId(clock.now());
  let seenAt = new Date(clock.now().getTime() - 1);
  const say: typeof protocols.hub.say = (event) => protocols.hub.say(event);
  if (hasEvents) say(turnStart);
  const mailOptions = { onSetAside: () => undefined };
  return {
    ...{ clock, store, members, protocols, say },
    get now() {
      return clock.now().toISOString();
    },
    pass(): void {
      clock.advance(10_000);
      seenAt = clock.now();
    },
    /** The event of the prompt. */
    see: () => say({ type: "message-delivered", member: lead, id }),
    async submit(key: string | undefined) {
      // Requests of one moment are in no order.
      clock.advance(1);
      const subject = { key, schema: {}, prompt: "Is it?" };
      const { requests } = store;
      const { hash, id } = await requests.open({ type: "result", from: user, to: lead, subject });
      return requests.decide(id, { by: lead, state: "approved", hash, value: 1 });
    },
    cron: (cronId: string) =>
      store.crons.put({
        ...{ id: CronId.parse(cronId), cron: "0 9 * * *", prompt: "Look.", member: lead },
        ...{ created_at: clock.now().toISOString(), created_by: lead, once: false, next_at: null },
      }),
    async sendCron(cronId: string): Promise<void> {
      const cron_id = CronId.parse(cronId);
      await store.send(lead, { type: "message", from: user, content: "Look.", cron_id });
    },
    async seen(name: string): Promise<void> {
      const { transcript } = await store.openMember(MemberName.parse(name), mailOptions);
      const at = clock.now().toISOString();
      await transcript.append([{ type: "note", at, text: "seen", wakes: false }]);
    },
    forget: (name: string) => store.forget(MemberName.parse(name)),
    async enlist(name: string, fields: Partial<MemberRecord>): Promise<void> {
      const record = { name: MemberName.parse(name), role: "coder", status: "idle" } as const;
      await protocols.keeper.upsert({ ...record, ...fields });
    },
    stays({ calls = [], files = [], isIncomplete = false, tools = [] }: Undone = {}) {
      const point = { id, sentAt: seenAt, seenAt };
      const undone = { point, calls, files, isIncomplete };
      return whatStays({ store, tools: tools.map(ownTool) }, { members, protocols }, undone);
    },
  };
}

function callOf(member: MemberName, name: string, input: unknown): MemberCall {
  return { member, call: { call_id: "call-1", name, input }, hasFailed: false };
}

function ownTool(name: string): Tool {
  return defineTool({
    ...{ name, description: "Does it.", input: z.object({}) },
    action: () => ({ type: "coordinate" }),
    run: async () => success("done"),
  });
}
