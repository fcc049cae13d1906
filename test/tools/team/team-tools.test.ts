import fc from "fast-check";
import { expect, test } from "vitest";
import type { Tool } from "../../../src/tools/tool.ts";
import { call, leadsTools, requestId, teammatesTools } from "./fixture.ts";

const common = [
  ...["send_message", "read_inbox", "list_teammates"],
  ...["create_task", "list_tasks", "get_task", "claim_task", "complete_task", "update_task"],
];

test("each member has the tools of its role in the team, without duplicate names", () => {
  expect(namesOf(teammatesTools())).toEqual(
    [...common, "plan_approval", "shutdown_response"].sort(),
  );
  expect(namesOf(leadsTools())).toEqual(
    [
      ...common,
      ...["spawn_teammate", "wait_for_teammates", "broadcast"],
      ...["plan_approval", "shutdown_request", "shutdown_response"],
      ...["schedule_cron", "list_crons", "cancel_cron"],
    ].sort(),
  );
});

test.each([
  ["teammate", teammatesTools(), 2_400],
  ["lead", leadsTools(), 4_800],
])("the definitions of these tools for a %s are small", (_, tools, maxBytes) => {
  const specs = tools.map(({ spec: { name, description, input_schema } }) => ({
    name,
    description,
    input_schema,
  }));

  expect(Buffer.byteLength(JSON.stringify(specs))).toBeLessThanOrEqual(maxBytes);
});

test("a model is shown every argument, and which are required", () => {
  const { input_schema } = specOf(leadsTools(), "spawn_teammate");

  expect(input_schema).toMatchObject({
    type: "object",
    properties: { name: { type: "string" }, permission_mode: { enum: expect.any(Array) } },
    required: ["name", "role", "prompt"],
  });
  expect(specOf(teammatesTools(), "create_task").input_schema).toMatchObject({
    properties: { blocked_by: { type: "array", items: { type: "string" } } },
    required: ["subject"],
  });
});

test.each([
  ["a teammate", teammatesTools()],
  ["the lead", leadsTools()],
])("any JSON that %s gives to a tool has an answer", async (_, tools) => {
  const outcomes = new Set<boolean>();

  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...tools), anyInput, async (tool, input) => {
      const { text, isError } = await call([tool], tool.spec.name, input);

      outcomes.add(isError);
      expect(text).not.toBe("");
      if (isError) expect(text).toContain(`Error: Invalid input for ${tool.spec.name}: `);
    }),
    { numRuns: 1_000 },
  );

  // Inputs that are all refused, or all accepted, would show little.
  expect(outcomes).toEqual(new Set([true, false]));
});

test("all of them only coordinate, and need no approval", () => {
  const input = {
    ...{ to: "bob", content: "hi", name: "bob", role: "coder", prompt: "Go", plan: "1. Look" },
    ...{ task_id: 3, subject: "Fix", teammate: "bob", request_id: requestId, approve: true },
    ...{ cron: "* * * * *", id: "1" },
  };

  const prepared = [...leadsTools(), ...teammatesTools()].map((tool) => tool.prepare(input));

  for (const call of prepared) {
    expect(call).toMatchObject({ type: "prepared", action: { type: "coordinate" } });
  }
});

/** Any JSON, and objects that have what the tools look for. */
const anyInput = fc.oneof(
  fc.jsonValue(),
  fc.record(
    Object.fromEntries(
      [
        ...["to", "content", "name", "role", "prompt", "plan", "teammate", "request_id", "id"],
        ...["task_id", "subject", "description", "status", "owner", "result", "blocked_by"],
        ...["names", "mode", "timeout_s", "approve", "force", "cron", "member", "once", "tools"],
      ].map((name) => [name, argument()]),
    ),
    { requiredKeys: [] },
  ),
);

function argument(): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("bob", "1", "all", "pending", "  ", "") },
    fc.constantFrom<unknown>(1, -1, 1e308, true, false, null, [], ["1", 2], {}),
    fc.jsonValue(),
  );
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ spec }) => spec.name).sort();
}

function specOf(tools: readonly Tool[], name: string): Tool["spec"] {
  const tool = tools.find(({ spec }) => spec.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool.spec;
}
