import { expect, test } from "vitest";
import { lead, parseTeammateName, system } from "../../../src/protocol/ids.ts";
import { CrashReports, type CrashReportsOptions } from "../../../src/team/members/crash-reports.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

const alice = parseTeammateName("alice");

test.each([
  ["a lead reports the crash of a member and frees its tasks", false],
  ["a process that is no longer the lead reports no crash and frees no task", true],
])("%s", async (_, isLost) => {
  const clock = new ManualClock();
  const store = new MemoryTeamStore({ clock });
  const effects: string[] = [];
  const settled = new Promise<void>((resolve) => {
    const reports = new CrashReports({
      store: { lost: isLost ? AbortSignal.abort() : store.lost },
      post: {
        send: (to, draft) => {
          effects.push(`mail to ${to}: ${draft.type}`);
          return store.send(to, draft);
        },
      },
      tasks: { releaseAll: async (name) => void effects.push(`released all of ${name}`) },
      checkouts: { tryToKeep: async (name) => void effects.push(`kept the work of ${name}`) },
      clock,
      onWarning: (message) => void effects.push(message),
      onSettled: resolve,
    });
    reports.begin(alice, "its fence is lost");
    if (!reports.isAnyOpen) resolve();
  });
  await settled;

  const all = [
    "'alice' has failed: its fence is lost",
    "kept the work of alice",
    "mail to lead: teammate_terminated",
    "released all of alice",
  ];
  expect(effects).toEqual(isLost ? [] : all);
  await store[Symbol.asyncDispose]();
});

test("the crash of the lead is told to the person alone", () => {
  const warnings: string[] = [];
  const reports = openReports({ onWarning: (message) => warnings.push(message) });

  reports.begin(lead, "its fence is lost");

  expect(reports.isAnyOpen).toBe(false);
  expect(warnings).toEqual(["'lead' has failed: its fence is lost"]);
});

test("what fails of a report is told, the rest is done, and it is open until then", async () => {
  const warnings: string[] = [];
  const mail: unknown[] = [];
  await new Promise<void>((resolve) => {
    const reports = openReports({
      post: {
        send: async (_, draft) => {
          mail.push(draft);
          throw new Error("The disk is full");
        },
      },
      onWarning: (message) => warnings.push(message),
      onSettled: resolve,
    });
    reports.begin(alice, "its fence is lost");
    expect(reports.isAnyOpen).toBe(true);
  });

  expect(mail).toMatchObject([
    { from: system, teammate: alice, reason: "its fence is lost", expected: false },
  ]);
  expect(warnings).toEqual(["'alice' has failed: its fence is lost", "Error: The disk is full"]);
});

function openReports(options: Partial<CrashReportsOptions>): CrashReports {
  const clock = new ManualClock();
  const store = new MemoryTeamStore({ clock });
  return new CrashReports({
    ...{ store, clock, onWarning: () => undefined, onSettled: () => undefined },
    post: { send: (to, draft) => store.send(to, draft) },
    tasks: { releaseAll: async () => undefined },
    checkouts: { tryToKeep: async () => undefined },
    ...options,
  });
}
