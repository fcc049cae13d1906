import { expect, test } from "vitest";
import type { RunEnd } from "../../src/agent/runner.ts";
import { CommitId, lead, MemberName, user } from "../../src/protocol/ids.ts";
import type { PermissionRequest } from "../../src/protocol/request.ts";
import type { MemberState } from "../../src/team/members/member-handle.ts";
import { summarize } from "../../src/team/summary.ts";
import { openTestProtocols } from "../support/protocols.ts";
import { SetMember } from "../support/set-member.ts";
import { member } from "../support/team.ts";

const alice = MemberName.parse("alice");
const done: RunEnd = { outcome: "done", answers: ["Done."] };
const cutShort: RunEnd = {
  ...{ outcome: "interrupted", hint: "Prompt it to continue.", answers: [] },
  reason: "the lead's run was cut short when the team was closed",
};

test("the lead comes first, as it stands, and then everybody on the roster as that says", async () => {
  const it = openTeam();
  await it.protocols.keeper.upsert({ ...member("alice", "failed"), model: "own" });
  await it.protocols.keeper.upsert(member("bob", "shutdown", "tester"));
  const handle = new SetMember(alice);
  handle.set({ model: "stand-in", lastEnd: done });
  it.members.add(handle);

  const common = { outcome: undefined, usage: undefined, cost_usd: 0 };
  expect((await it.summary()).members).toEqual([
    { ...common, name: lead, role: "lead", status: "idle", model: "p/m", answered_by: "scripted" },
    {
      ...{ ...common, name: alice, role: "coder", status: "failed", model: "own" },
      ...{ answered_by: "stand-in", outcome: "done" },
    },
    {
      ...common,
      name: "bob",
      role: "tester",
      status: "shutdown",
      model: "p/m",
      answered_by: "p/m",
    },
  ]);
});

test.each<[string, Partial<MemberState>]>([
  ["working", { isBusy: true, failure: "no key" }],
  ["failed", { failure: "no key" }],
  ["idle", {}],
])("a lead is %s as its state says", async (status, state) => {
  const it = openTeam();
  it.lead.set(state);

  expect((await it.summary()).members).toMatchObject([{ name: "lead", status }]);
});

test.each<[string, Partial<MemberState>, Partial<RunEnd> | undefined]>([
  ["has not worked", {}, undefined],
  ["has worked", { lastEnd: done }, done],
  ["has worked, and works again", { lastEnd: done, isCutShort: true, isBusy: true }, done],
  ["was cut short", { isCutShort: true }, cutShort],
  ["was cut short, and continues", { isCutShort: true, isBusy: true }, undefined],
  ["was cut short before it worked again", { isCutShort: true, lastEnd: done }, done],
  ["has nothing left to spend, and nothing to answer", { lastEnd: done, exhausted: "spent" }, done],
])("the end of a lead that %s", async (_, state, end) => {
  const it = openTeam();
  it.lead.set(state);
  await it.store.send(lead, { type: "idle_notification", from: alice, content: "" });

  expect((await it.summary()).end).toEqual(end);
});

test.each([
  ["a message", { type: "message", from: user, content: "More." }],
  [
    "a result",
    { type: "result", from: alice, content: "x", outcome: "done", woken_by_peers: true },
  ],
] as const)(
  "a lead with nothing left to spend does not read %s: that is its end",
  async (_, mail) => {
    const it = openTeam();
    it.lead.set({ lastEnd: done, exhausted: "spent", isCutShort: true });
    await it.store.send(lead, mail);

    expect((await it.summary()).end).toEqual({
      ...{ outcome: "budget", reason: "spent", answers: ["Done."] },
    });
    it.lead.set({ lastEnd: undefined });
    expect((await it.summary()).end).toMatchObject({ outcome: "budget", answers: [] });
  },
);

test("what was denied in this process is listed, what is undecided from any", async () => {
  const it = openTeam();
  const { requests } = it.store;
  const subject: PermissionRequest["subject"] = { tool: "bash", input: {} };
  const ask = async (state?: "approved" | "rejected" | "expired" | "cancelled") => {
    it.clock.advance(1_000);
    const draft = { type: "permission", from: alice, to: user, subject } as const;
    const { id, hash } = await requests.open(draft);
    if (state === "expired") await requests.expire(id);
    else if (state === "cancelled") await requests.cancel(id, alice);
    else if (state) await requests.decide(id, { by: user, state, hash });
    return id;
  };
  const [before] = [await ask(), await ask("rejected")];
  it.clock.advance(1_000);
  it.begin();
  const [rejected, expired] = [await ask("rejected"), await ask("expired")];
  for (const state of ["approved", "cancelled"] as const) await ask(state);
  it.clock.advance(1_000);
  const plan = await requests.open({
    type: "plan",
    from: alice,
    to: lead,
    subject: { plan: "1." },
  });
  const { id, hash } = await requests.open({
    ...{ type: "plan", from: alice, to: lead, subject: { plan: "2." } },
  });
  await requests.decide(id, { by: lead, state: "rejected", hash });

  const { denied, undecided } = await it.summary();

  expect(denied).toEqual([rejected, expired].map((each) => ({ id: each, from: alice, subject })));
  expect(undecided.map((each) => each.id)).toEqual([before, plan.id]);
});

test("work on its way is listed from any process, work that is over from this one, and replaced work never", async () => {
  const it = openTeam();
  const { landings } = it.store;
  const take = async (member: string) => {
    const commit = CommitId.parse(member.repeat(8));
    const draft = { ref: `refs/${member}`, commit, base: commit, target: "main" };
    return landings.take({ ...draft, member: MemberName.parse(member) });
  };
  const [open, old] = [await take("aaaaa"), await take("bbbbb")];
  await landings.move(old, { state: "landed" });
  it.clock.advance(1_000);
  it.begin();
  const [landed, replaced] = [await take("ccccc"), await take("ddddd")];
  await landings.move(landed, { state: "landed" });
  await landings.move(replaced, { state: "replaced", by: landed.id });

  expect((await it.summary()).landings.map(({ id }) => id)).toEqual([open.id, landed.id]);
});

test("commands in the background, the last answer and the time are told", async () => {
  const it = openTeam();
  it.begin();
  it.lead.set({ backgroundJobs: ["sleep 9", "sleep 8"], lastAnswer: "Begun." });
  it.members.add(new SetMember(alice));
  it.clock.advance(1_234);

  expect(await it.summary()).toMatchObject({
    ...{ result: "Begun.", background: [{ member: lead, commands: 2 }], duration_ms: 1_234 },
    ...{ undelivered: [], tasks: [], cost_usd: 0, unpriced_calls: 0 },
  });
  it.lead.set({ lastAnswer: undefined });
  expect((await it.summary()).result).toBe("");
});

/** A team in memory, which a process has opened at `begin`. */
function openTeam() {
  const { clock, store, members, protocols } = openTestProtocols();
  const handle = new SetMember(lead);
  members.add(handle);
  let since = { date: clock.now(), ms: clock.monotonicMs() };
  return {
    ...{ clock, store, members, protocols, lead: handle },
    begin(): void {
      since = { date: clock.now(), ms: clock.monotonicMs() };
    },
    summary: () =>
      summarize(
        { members, protocols, options: { store, clock }, models: { lead: { model: "p/m" } } },
        since,
      ),
  };
}
