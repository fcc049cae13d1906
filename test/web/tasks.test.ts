import { expect, test } from "vitest";
import type { TaskView } from "../../src/protocol/dashboard.ts";
import { MemberName, TaskId } from "../../src/protocol/ids.ts";
import { nextOnBoard } from "../../web/src/views/tasks/board-keys.ts";
import { boardLayout, cardHeight, curveOf } from "../../web/src/views/tasks/board-layout.ts";
import { chainOf, taskGraph, waitsFor } from "../../web/src/views/tasks/task-graph.ts";
import { filteredTasks, sortedTasks } from "../../web/src/views/tasks/task-list.ts";
import { task } from "./views.ts";

/** A board out of `id: blockers`. */
function board(
  blockers: Record<string, string[]>,
  fields: Record<string, Partial<TaskView>> = {},
): ReadonlyMap<string, TaskView> {
  return new Map(
    Object.entries(blockers).map(([id, others]) => [
      id,
      task({
        id: TaskId.parse(id),
        blocked_by: others.map((other) => TaskId.parse(other)),
        ...fields[id],
      }),
    ]),
  );
}

test("each task is placed after all its blockers", () => {
  const { layers } = taskGraph(board({ 1: [], 2: ["1"], 3: ["2"], 4: ["1", "3"] }));

  expect(layers).toEqual([["1"], ["2"], ["3"], ["4"]]);
});

test("a task is placed right before the first one that waits for it", () => {
  const { layers } = taskGraph(board({ 1: [], 2: ["1"], 3: ["2"], 4: ["3", "5"], 5: [] }));

  expect(layers[2]).toContain("5");
});

test("tasks without dependencies are separate", () => {
  const { layers, loose } = taskGraph(board({ 1: [], 2: ["1"], 10: [], 3: [] }));

  expect(layers).toEqual([["1"], ["2"]]);
  expect(loose).toEqual(["3", "10"]);
});

test("missing blockers and self-dependencies are tolerated", () => {
  const tasks = board({ 1: ["99"], 2: ["2", "1"] });

  expect(taskGraph(tasks).layers).toEqual([["1"], ["2"]]);
  expect(waitsFor(tasks, task({ blocked_by: [TaskId.parse("99")] }))).toEqual(["99"]);
});

test("a cycle is laid out, and the edge that closes it is marked", () => {
  const { layers, edges } = taskGraph(board({ 1: ["3"], 2: ["1"], 3: ["2"], 4: ["3"] }));

  expect(layers.flat().sort()).toEqual(["1", "2", "3", "4"]);
  expect(edges.filter(({ isBack }) => isBack)).toMatchObject([{ blocker: "3", blocked: "1" }]);
});

test("tasks are ordered to avoid crossing edges", () => {
  const { layers } = taskGraph(board({ 1: [], 2: [], 3: [], 4: ["3"], 5: ["2"], 6: ["1"] }));

  const [first = [], second = []] = layers;
  const partner = new Map([
    ["1", "6"],
    ["2", "5"],
    ["3", "4"],
  ]);
  expect(first.map((id) => partner.get(id))).toEqual(second);
});

test("an edge is open until its blocker is completed or cancelled", () => {
  const { edges } = taskGraph(
    board(
      { 1: [], 2: [], 3: [], 4: ["1", "2", "3"] },
      { 1: { status: "completed" }, 2: { status: "cancelled" }, 3: { status: "failed" } },
    ),
  );

  expect(edges.map(({ isOpen }) => isOpen)).toEqual([false, false, true]);
});

test("a chain is all blockers and dependents of a task, including cycles", () => {
  const { edges } = taskGraph(board({ 1: [], 2: ["1"], 3: ["2"], 4: ["1"], 5: ["6"], 6: ["5"] }));

  expect([...chainOf(edges, "2")].sort()).toEqual(["1", "2", "3"]);
  expect([...chainOf(edges, "5")].sort()).toEqual(["5", "6"]);
});

test("cards never overlap, on a deep board of 500", () => {
  const blockers = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => {
      const others = [index - 1 - (index % 7), index - 3 - (index % 11)].filter(
        (other) => other > 0,
      );
      return [String(index + 1), index % 9 === 0 ? [] : [...new Set(others.map(String))]];
    }),
  );

  const layout = boardLayout(taskGraph(board(blockers)), 1_200);

  expect(layout.places.size).toBe(500);
  const columns = new Map<number, number[]>();
  for (const { x, y } of layout.places.values()) columns.set(x, [...(columns.get(x) ?? []), y]);
  for (const levels of columns.values()) {
    const sorted = levels.toSorted((a, b) => a - b);
    sorted.slice(1).forEach((y, index) => {
      expect(y - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(cardHeight);
    });
  }
});

test("a chain is level, and its curves lead from card to card", () => {
  const graph = taskGraph(board({ 1: [], 2: ["1"], 3: ["2"] }));
  const layout = boardLayout(graph, 1_200);

  const levels = [...layout.places.values()].map(({ y }) => y);
  expect(new Set(levels).size).toBe(1);
  expect(graph.edges.map((edge) => curveOf(edge, layout.places))).toEqual([
    expect.stringMatching(/^M220 55C/),
    expect.stringMatching(/^M500 55C/),
  ]);
});

test("arrow keys lead to linked cards, and up and down in the column", () => {
  const graph = taskGraph(board({ 1: [], 2: [], 3: ["1"], 4: ["2"] }));
  const layout = boardLayout(graph, 1_200);

  expect(nextOnBoard("ArrowRight", "2", graph, layout)).toBe("4");
  expect(nextOnBoard("ArrowLeft", "3", graph, layout)).toBe("1");
  expect(nextOnBoard("ArrowDown", "1", graph, layout)).toBe("2");
  expect(nextOnBoard("ArrowUp", "1", graph, layout)).toBeNull();
  expect(nextOnBoard("a", "1", graph, layout)).toBeNull();
});

test("tasks are filtered by status and by owner, including no owner", () => {
  const alice = MemberName.parse("alice");
  const tasks = [
    ...board(
      { 1: [], 2: [], 3: [] },
      { 1: { owner: alice }, 2: { owner: alice, status: "failed" } },
    ).values(),
  ];
  const ids = (filter: Parameters<typeof filteredTasks>[1]) => [
    ...filteredTasks(tasks, filter).keys(),
  ];

  expect(ids({ status: null, owner: "alice" })).toEqual(["1", "2"]);
  expect(ids({ status: "failed", owner: "alice" })).toEqual(["2"]);
  expect(ids({ status: null, owner: "" })).toEqual(["3"]);
});

test("tasks are sorted by any column, then by number", () => {
  const bob = MemberName.parse("bob");
  const tasks = board(
    { 2: [], 10: [], 1: [] },
    { 10: { owner: bob, status: "in_progress" }, 2: { subject: "A" } },
  );
  const ids = (sorting: Parameters<typeof sortedTasks>[1]) =>
    sortedTasks(tasks.values(), sorting).map(({ id }) => id);

  expect(ids({ by: "id", isDescending: false })).toEqual(["1", "2", "10"]);
  expect(ids({ by: "id", isDescending: true })).toEqual(["10", "2", "1"]);
  expect(ids({ by: "owner", isDescending: false })).toEqual(["10", "1", "2"]);
  expect(ids({ by: "status", isDescending: false })).toEqual(["10", "1", "2"]);
  expect(ids({ by: "subject", isDescending: false })).toEqual(["2", "1", "10"]);
});
