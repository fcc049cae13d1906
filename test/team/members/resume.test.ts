import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../../src/protocol/ids.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import type { LeadsChoices } from "../../../src/team/members/inherited-fields.ts";
import { resume } from "../../../src/team/members/resume.ts";
import { noCheckouts } from "../../support/no-checkouts.ts";
import { noRoles } from "../../support/no-roles.ts";
import { openTestProtocols } from "../../support/protocols.ts";
import { SetMember } from "../../support/set-member.ts";
import { enlist, member } from "../../support/team.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];

test("those who are alive are opened after the lead, with the person's rules; those who ended are not", async () => {
  const it = await openResumption(member("alice"), member("bob", "shutdown"), member("carol"));
  const { id, hash } = await it.store.requests.open({
    ...{ type: "permission", from: lead, to: user },
    subject: { tool: "bash", input: { command: "make" }, reason: "…" },
  });
  await it.store.requests.decide(id, { by: user, state: "approved", hash, rule: "bash(make)" });

  await it.resume();

  expect(it.opened).toEqual(["lead with bash(make)", "alice", "carol"]);
  expect(it.members.living.map(({ name }) => name)).toEqual(["lead", "alice", "carol"]);
  expect(it.warnings).toEqual([]);
});

test("members are in the order of the roster, whichever is open first", async () => {
  const it = await openResumption(member("alice"), member("bob"));
  let openBob = (): void => undefined;
  const bobIsOpen = new Promise<void>((resolve) => {
    openBob = resolve;
  });
  it.untilOpen = async (name) => (name === alice ? await bobIsOpen : openBob());

  await it.resume();

  expect(it.opened).toEqual(["lead", "bob", "alice"]);
  expect(it.members.living.map(({ name }) => name)).toEqual(["lead", "alice", "bob"]);
});

test("a removal that was interrupted is finished, once", async () => {
  const ending = { reason: "the lead shut it down", expected: true };
  const it = await openResumption({ ...member("alice", "shutdown"), ending }, member("bob"));
  await it.store.leaveMail(alice, { type: "message", from: bob, content: "hello?" });

  await it.resume();

  expect(await it.store.unreadOf(lead)).toMatchObject([
    { type: "teammate_terminated", teammate: alice, ...ending },
  ]);
  expect(await it.store.unreadOf(bob)).toMatchObject([
    { content: expect.stringMatching(/^Undelivered: 'alice'/) },
  ]);
  expect((await it.store.roster.read()).members[0]).not.toHaveProperty("ending");
});

test("a removal that cannot be finished is a warning, and keeps nobody from continuing", async () => {
  const ending = { reason: "…", expected: true };
  const it = await openResumption({ ...member("alice", "shutdown"), ending }, member("bob"));
  it.store.beforeSend = async () => {
    throw new Error("disk full");
  };

  await it.resume();

  expect(it.warnings).toEqual([
    expect.stringMatching(/removal of 'alice' could not be finished: disk full/),
  ]);
  expect(it.opened).toContain("bob");
});

test.each([
  ["its roster says", { status: "failed", detail: "no key" }, undefined, "no key"],
  ["its roster says without a reason", { status: "failed" }, undefined, "unknown"],
  ["its transcript says", { status: "idle" }, { outcome: "failed", reason: "broken" }, "broken"],
  ["its transcript says, first", { status: "failed", detail: "old" }, failedFor("new"), "new"],
  ["its transcript says without a reason", {}, failedFor(undefined), "unknown"],
  ["nobody says", { status: "idle" }, { outcome: "done", reason: "fine" }, undefined],
] as const)("a member that has failed waits for its lead, where %s", async (...given) => {
  const [, record, recordedEnd, failure] = given;
  const it = await openResumption({ ...member("alice"), ...record });
  it.prepare = (handle) =>
    handle.set({
      recordedEnd: recordedEnd && { reportId: undefined, ...recordedEnd },
    });

  await it.resume();

  const orders = failure === undefined ? [] : [{ type: "fail", reason: failure }];
  expect(it.handles.get(alice)?.orders).toEqual(orders);
});

test("an idle member is reminded of the task that it holds, and one that was cut short is not", async () => {
  const it = await openResumption(member("alice"), member("bob"));
  for (const by of [alice, bob]) {
    const { id } = await it.store.tasks.create({ subject: `of ${by}`, created_by: lead });
    await it.store.tasks.claim(id, { by });
  }
  it.prepare = (handle) => handle.set({ isCutShort: handle.name === bob });

  await it.resume();

  expect(await it.store.unreadOf(alice)).toMatchObject([{ task_id: "1" }]);
  expect(await it.store.unreadOf(bob)).toEqual([]);
});

test("a member that cannot be opened has failed, its task is free, and the others continue", async () => {
  const it = await openResumption(member("alice"), member("bob"));
  const { id } = await it.store.tasks.create({ subject: "…", created_by: lead });
  await it.store.tasks.claim(id, { by: alice });
  it.prepare = ({ name }) => {
    if (name === alice) throw new Error("no room");
  };

  await it.resume();

  expect(it.warnings).toEqual(["'alice' cannot continue: no room"]);
  expect((await it.store.roster.read()).members).toMatchObject([
    { name: alice, status: "failed", detail: "no room" },
    { name: bob, status: "idle" },
  ]);
  expect(await it.store.tasks.get(id)).toMatchObject({ status: "pending", owner: null });
  expect(it.members.living.map(({ name }) => name)).toEqual(["lead", "bob"]);
});

test("a member's record has the lead's current model and mode where it inherits them", async () => {
  const record = { model: "old/model", permission_mode: "plan" } as const;
  const it = await openResumption(
    { ...member("alice"), ...record, inherits: ["model", "permission_mode"] },
    { ...member("bob"), ...record, inherits: ["permission_mode"] },
    { ...member("carol"), ...record },
    { ...member("dave", "shutdown"), ...record, inherits: ["model"] },
  );

  await it.resume();

  expect((await it.store.roster.read()).members).toMatchObject([
    { model: "lead/model", permission_mode: "default", inherits: ["model", "permission_mode"] },
    { model: "old/model", permission_mode: "default" },
    record,
    record,
  ]);
});

test("a member's record has the lead's current effort, and none if the lead has none", async () => {
  const its = { ...member("alice"), effort: "low", inherits: ["effort"] } as const;
  const effortAfter = async (effort: "max" | undefined) => {
    const it = await openResumption({ ...its, inherits: ["effort"] });
    await it.resume({ effort });
    return (await it.store.roster.read()).members[0]?.effort;
  };

  expect(await effortAfter("max")).toBe("max");
  expect(await effortAfter(undefined)).toBeUndefined();
});

test("a shutdown that was asked for is asked for again, and a closed gate stays closed", async () => {
  const it = await openResumption({ ...member("alice"), plan_required: true }, member("bob"));
  await it.store.requests.open({
    ...{ type: "shutdown", from: lead, to: bob, subject: { teammate: bob } },
  });

  await it.resume();

  expect(it.protocols.plans.gateOf(alice).closed()).toContain("you need an approved plan first");
  expect(it.protocols.plans.gateOf(bob).closed()).toBeUndefined();
  expect(await it.store.unreadOf(bob)).toMatchObject([{ type: "shutdown_request" }]);
  expect(it.protocols.shutdowns.isAnyOpen).toBe(true);
});

function failedFor(reason: string | undefined) {
  return { outcome: "failed", reason } as const;
}

/** A team of an earlier process, whose members do nothing. */
async function openResumption(...records: MemberRecord[]) {
  const opened = openTestProtocols();
  const { protocols, members, store, warnings } = opened;
  await enlist(store, ...records);
  const names: string[] = [];
  const handles = new Map<MemberName, SetMember>();
  const it = {
    ...opened,
    opened: names,
    handles,
    /** Sets the state of a member, or keeps it from being opened. */
    prepare: (_: SetMember): void => undefined,
    /** Resolves when a member may be open. */
    untilOpen: async (_: MemberName): Promise<void> => undefined,
    resume: (choices: Partial<LeadsChoices> = {}) =>
      resume({
        ...{ protocols, members, checkouts: noCheckouts, roles: noRoles },
        openLead: async () => {
          const rules = protocols.permissions.rules.inForce.map(({ text }) => text);
          names.push(["lead", ...rules].join(" with "));
          return new SetMember(lead);
        },
        open: async ({ name }) => {
          const handle = new SetMember(name);
          it.prepare(handle);
          handles.set(name, handle);
          await it.untilOpen(name);
          names.push(name);
          return handle;
        },
        lead: { model: "lead/model", mode: "default", ...choices },
        toolNames: ["bash"],
        onWarning: (message) => void warnings.push(message),
      }),
  };
  return it;
}
