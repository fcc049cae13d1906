import { expect, test } from "vitest";
import type { SpawnRequest, WaitRequest } from "../../../src/tools/team/team-access.ts";
import { alice, bob, call, leadsTools, roster, teammatesTools, textOf } from "./fixture.ts";

test("the team is a line for each teammate", async () => {
  const record = roster(
    { name: alice, role: "coder", status: "idle" },
    { name: bob, role: "the\ntester", status: "working", detail: "waiting for approval" },
  );
  const tools = teammatesTools({ colleagues: { roster: async () => record } });

  expect(await textOf(tools, "list_teammates")).toBe(
    "Team: default\n  alice (coder): idle\n  bob (the tester): working (waiting for approval)",
  );
});

test("a team with only the lead has no teammates", async () => {
  expect(await textOf(leadsTools(), "list_teammates")).toBe("No teammates.");
});

test("a teammate is spawned exactly as requested", async () => {
  const { tools, spawned } = recordingSpawns();
  const asked = {
    name: "alice",
    role: "coder",
    prompt: "Fix the parser",
    model: "large",
    tools: ["read_file"],
    permission_mode: "plan",
    plan_required: true,
    cwd: "packages/parser",
    fresh: true,
  };

  expect(await textOf(tools, "spawn_teammate", { ...asked, color: "red" })).toBe(
    "Spawned 'alice' (role: coder)",
  );
  const { permission_mode: mode, plan_required: planRequired, ...rest } = asked;
  expect(spawned).toEqual([{ ...rest, mode, planRequired }]);
});

test.each([
  ["role", ""],
  ["prompt", "  "],
  ["name", ""],
  ["plan_required", "false"],
  ["permission_mode", "anything goes"],
])("a spawn whose %s is %j starts nothing", async (field, value) => {
  const { tools, spawned } = recordingSpawns();
  const input = { name: "alice", role: "coder", prompt: "Go", [field]: value };

  const { text, isError } = await call(tools, "spawn_teammate", input);

  expect(isError).toBe(true);
  expect(text).toContain(`spawn_teammate: ${field}: `);
  expect(spawned).toEqual([]);
});

test("by default, waiting is for all teammates and ten minutes", async () => {
  const { tools, waits } = recordingWaits();

  await call(tools, "wait_for_teammates");
  await call(tools, "wait_for_teammates", { names: [] });
  await call(tools, "wait_for_teammates", { names: ["bob"], mode: "any", timeout_s: 0.5 });

  expect(waits).toEqual([
    { names: undefined, mode: "all", timeoutMs: 600_000 },
    { names: undefined, mode: "all", timeoutMs: 600_000 },
    { names: ["bob"], mode: "any", timeoutMs: 500 },
  ]);
});

test("the answer to waiting is the reason of its end", async () => {
  const { tools } = recordingWaits();

  expect(await textOf(tools, "wait_for_teammates")).toBe("All have finished.");
});

test("a wait ends with the call's signal", async () => {
  const leaving = new AbortController();
  const tools = leadsTools({
    leadership: {
      waitForTeammates: (_, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve("Stopped."))),
    },
  });

  const output = textOf(tools, "wait_for_teammates", {}, leaving.signal);
  leaving.abort();

  expect(await output).toBe("Stopped.");
});

test.each([0, -1, 86_401, "600"])("waiting for %j seconds is refused", async (timeout_s) => {
  const { tools, waits } = recordingWaits();

  const { text, isError } = await call(tools, "wait_for_teammates", { timeout_s });

  expect(isError).toBe(true);
  expect(text).toContain("wait_for_teammates: timeout_s: ");
  expect(waits).toEqual([]);
});

function recordingSpawns() {
  const spawned: SpawnRequest[] = [];
  const tools = leadsTools({
    leadership: {
      async spawn(request) {
        spawned.push(request);
        return { name: alice, role: request.role ?? "" };
      },
    },
  });
  return { tools, spawned };
}

function recordingWaits() {
  const waits: WaitRequest[] = [];
  const tools = leadsTools({
    leadership: {
      async waitForTeammates(request) {
        waits.push(request);
        return "All have finished.";
      },
    },
  });
  return { tools, waits };
}
