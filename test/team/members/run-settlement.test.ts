import { expect, test } from "vitest";
import type { LastRun } from "../../../src/agent/runner.ts";
import { lead, MemberName, newMessageId, user } from "../../../src/protocol/ids.ts";
import { type MessageDraft, maxContentBytes } from "../../../src/protocol/message.ts";
import { settleRun } from "../../../src/team/members/run-settlement.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];
const reportId = newMessageId(new Date(0));

test.each([
  ["an answer", { answers: ["Done."], outcome: "done" }, "Done."],
  ["several answers", { answers: ["One.", "Two."], outcome: "done" }, "One.\n\nTwo."],
  ["an interruption", { answers: [], outcome: "interrupted" }, "(interrupted)"],
  [
    "an answer and a failure",
    { answers: ["Half."], outcome: "failed", reason: "no key" },
    "Half.\n\n(failed: no key)",
  ],
] as const)("a teammate's run with %s is reported to the lead", async (_, run, content) => {
  const { sent } = await settled(runOf(run));

  expect(sent).toEqual([
    [lead, { id: reportId, type: "result", from: alice, outcome: run.outcome, content }],
  ]);
});

test("a teammate whose run ended without an answer is reported as idle", async () => {
  const { sent } = await settled(runOf({ outcome: "done" }));

  expect(sent).toMatchObject([[lead, { id: reportId, type: "idle_notification", from: alice }]]);
});

test("the result of a run that only teammates have woken says so", async () => {
  const wokenBy = async (...wakers: MemberName[]) => {
    const { sent } = await settled(runOf({ answers: ["Hi."], outcome: "done", wakers }));
    const [[, draft] = []] = sent;
    return draft?.type === "result" && draft.woken_by_peers;
  };

  expect(await wokenBy(bob)).toBe(true);
  expect(await wokenBy(bob, user)).toBeUndefined();
  expect(await wokenBy()).toBeUndefined();
});

test("a run that has ended before its member is reported, one that was cut short by the end is not", async () => {
  const reportsOf = async (run: LastRun) => (await settled(run, { hasEnded: true })).sent.length;

  expect(await reportsOf(runOf({ outcome: "done" }))).toBe(1);
  expect(await reportsOf(runOf({ answers: ["Half."], outcome: "interrupted" }))).toBe(1);
  expect(await reportsOf(runOf({ outcome: "interrupted" }))).toBe(0);
});

test("a member that has ended is not reminded of its tasks, nor counted as chatting", async () => {
  const run = runOf({ outcome: "done", wakers: [bob] });

  expect(await settled(run)).toMatchObject({ reminded: [alice], noted: [alice] });
  expect(await settled(run, { hasEnded: true })).toMatchObject({ reminded: [], noted: [] });
});

test("a run of the lead is not reported to the lead, and a settled run to nobody", async () => {
  const { sent, noted } = await settled(runOf({ answers: ["Done."], outcome: "done" }), {
    name: lead,
  });
  expect(sent).toEqual([]);
  expect(noted).toEqual([lead]);

  const again = await settled({ ...runOf({ outcome: "done" }), unsettledEnd: undefined });
  expect(again).toMatchObject({ sent: [], reminded: [], noted: [] });
});

test("what a teammate has done is handed in when its run ends, also its last; what the lead has done is not", async () => {
  const run = runOf({ answers: ["Done."], outcome: "done" });

  expect((await settled(run)).handedIn).toEqual([alice]);
  expect((await settled(run, { hasEnded: true })).handedIn).toEqual([alice]);
  expect((await settled(run, { name: lead })).handedIn).toEqual([]);
  expect((await settled({ ...run, unsettledEnd: undefined })).handedIn).toEqual([]);
});

test("members that only chat are reported to the lead once", async () => {
  const { sent } = await settled(runOf({ outcome: "done", wakers: [bob] }), { muted: [bob] });

  expect(sent).toHaveLength(2);
  expect(sent[1]).toMatchObject([
    lead,
    { type: "message", from: "system", content: expect.stringMatching(/^alice and bob have/) },
  ]);
});

test("a result that is too long for a message is kept whole in a file that the message names", async () => {
  const text = "x".repeat(maxContentBytes + 1);

  const { sent, kept } = await settled(runOf({ answers: [text], outcome: "done" }));

  const path = `/outputs/result-${reportId}.txt`;
  expect(kept).toEqual([[path, text]]);
  const content = sent[0]?.[1].content ?? "";
  expect(content).toContain(`the whole is in ${path})`);
  const [, more] = /\n\.\.\. \((\d+) more characters/.exec(content) ?? [];
  expect(content.indexOf("\n") + Number(more)).toBe(text.length);
});

function runOf({
  wakers = [],
  answers = [],
  outcome,
  reason,
}: {
  wakers?: readonly MemberName[];
  answers?: readonly string[];
  outcome: "done" | "interrupted" | "failed";
  reason?: string;
}): LastRun {
  const end = { outcome, reason, reportId };
  return {
    answers,
    wakers: new Set(wakers),
    remindedOf: new Set(),
    calledTools: new Set(),
    isOpen: false,
    end,
    unsettledEnd: end,
  };
}

/** What the end of a run of alice's brings about. */
async function settled(
  run: LastRun,
  { name = alice, hasEnded = false, muted = [] as MemberName[] } = {},
) {
  const sent: [string, MessageDraft][] = [];
  const kept: [string, string][] = [];
  const reminded: MemberName[] = [];
  const noted: MemberName[] = [];
  const handedIn: MemberName[] = [];
  await settleRun({ name, hasEnded }, run, {
    post: { send: async (to, draft) => void sent.push([to, draft]) },
    tasks: { afterRun: async (member) => void reminded.push(member) },
    handIn: async (member) => void handedIn.push(member),
    guard: {
      note: ({ self }) => {
        noted.push(self);
        return muted;
      },
    },
    clock: new ManualClock(),
    isTeammate: (each) => each === alice || each === bob,
    outputs: "/outputs",
    keepWhole: async (path, text) => void kept.push([path, text]),
  });
  return { sent, kept, reminded, noted, handedIn };
}
