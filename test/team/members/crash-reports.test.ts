import { expect, test } from "vitest";
import { parseTeammateName } from "../../../src/protocol/ids.ts";
import { CrashReports } from "../../../src/team/members/crash-reports.ts";
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
