import { expect, test } from "vitest";
import type { NewTask, TaskEdit } from "../../../src/tools/team/team-access.ts";
import { alice, call, task, taskIds, teammatesTools, textOf } from "./fixture.ts";

test("a task is created, and the answer has its id", async () => {
  const drafts: NewTask[] = [];
  const tools = teammatesTools({
    tasks: {
      async create(draft) {
        drafts.push(draft);
        return task({ id: "3", subject: draft.subject });
      },
    },
  });
  const input = { subject: "Fix the parser", description: "It loops." };

  expect(await textOf(tools, "create_task", input)).toBe("Created task 3: Fix the parser");
  expect(drafts).toEqual([input]);
});

test("the answer to a new task names its blockers and its owner", async () => {
  const created = task({ blocked_by: taskIds("1", "2"), owner: alice });
  const tools = teammatesTools({ tasks: { create: async () => created } });

  expect(await textOf(tools, "create_task", { subject: "Fix the parser" })).toBe(
    "Created task 3: Fix the parser, blocked by 1, 2, owned by alice",
  );
});

test("ids of tasks can be written as numbers", async () => {
  const ids: unknown[] = [];
  const tools = teammatesTools({
    tasks: {
      async get(id) {
        ids.push(id);
        return task();
      },
      async create({ blocked_by }) {
        ids.push(blocked_by);
        return task();
      },
    },
  });

  await call(tools, "get_task", { task_id: 3 });
  await call(tools, "create_task", { subject: "Next", blocked_by: [1, "2"] });

  expect(ids).toEqual(["3", ["1", "2"]]);
});

test.each([null, true, ["3"], undefined])("%j is not the id of a task", async (task_id) => {
  const { text, isError } = await call(teammatesTools(), "get_task", { task_id });

  expect(isError).toBe(true);
  expect(text).toContain("task_id: Invalid input: expected string");
});

test("a task in full is JSON", async () => {
  const whole = task({ description: "It loops.", owner: alice });
  const tools = teammatesTools({ tasks: { get: async () => whole } });

  expect(JSON.parse(await textOf(tools, "get_task", { task_id: "3" }))).toEqual(whole);
});

test("claiming a task returns its description", async () => {
  const tools = teammatesTools({
    tasks: { claim: async () => task({ description: "It loops.\nFind out why." }) },
  });

  expect(await textOf(tools, "claim_task", { task_id: "3" })).toBe(
    "Claimed task 3: Fix the parser\nIt loops.\nFind out why.",
  );
});

test("completing a task returns the tasks that it has unblocked", async () => {
  const unblocked = [task({ id: "4" }), task({ id: "5" })];
  const tools = teammatesTools({
    tasks: {
      complete: async (_, result) => ({ task: task(), unblocked: result ? unblocked : [] }),
    },
  });

  expect(await textOf(tools, "complete_task", { task_id: "3" })).toBe("Completed task 3");
  expect(await textOf(tools, "complete_task", { task_id: "3", result: "done" })).toBe(
    "Completed task 3\nUnblocked: 4, 5",
  );
});

test("an update changes only the given fields", async () => {
  const { tools, changes } = recordingUpdates();

  const text = await textOf(tools, "update_task", { task_id: 3, owner: "alice", blocked_by: [1] });

  expect(text).toBe("Updated task 3: [pending] Fix the parser (alice), blocked by 1");
  expect(changes).toEqual([["3", { owner: "alice", blocked_by: ["1"] }]]);
});

test("a task is released with owner null", async () => {
  const { tools, changes } = recordingUpdates();

  await call(tools, "update_task", { task_id: "3", owner: null });

  expect(changes).toEqual([["3", { owner: null }]]);
});

test.each([
  [{ task_id: "3" }, "give what is to change"],
  [{ task_id: "3", msg_type: "x" }, "give what is to change"],
  [{ task_id: "3", status: "paused" }, "status: "],
  [{ task_id: "3", subject: "" }, "subject: must not be empty"],
  [{ task_id: "3", owner: "" }, "owner: must not be empty"],
])("the update %j is refused", async (input, problem) => {
  const { tools, changes } = recordingUpdates();

  const { text, isError } = await call(tools, "update_task", input);

  expect(isError).toBe(true);
  expect(text).toContain(problem);
  expect(changes).toEqual([]);
});

function recordingUpdates() {
  const changes: [string, TaskEdit][] = [];
  const updated = task({ owner: alice, blocked_by: taskIds("1") });
  const tools = teammatesTools({
    tasks: {
      async update(id, change) {
        changes.push([id, change]);
        return { task: updated, unblocked: [] };
      },
    },
  });
  return { tools, changes };
}
