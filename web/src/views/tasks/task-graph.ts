import type { TaskView } from "../../../../src/protocol/dashboard.ts";
import { isSettled, openBlockers } from "../../../../src/protocol/task-state.ts";

/** A dependency between two tasks. */
export interface Edge {
  blocker: string;
  blocked: string;
  /** True while the blocker is unfinished. */
  isOpen: boolean;
  /** True if it closes a cycle: such an edge is ignored in the order. */
  isBack: boolean;
}

export interface TaskGraph {
  /** Tasks with dependencies, by the length of the longest chain of blockers before them. */
  layers: readonly (readonly string[])[];
  edges: readonly Edge[];
  /** Tasks without dependencies. */
  loose: readonly string[];
}

type Tasks = ReadonlyMap<string, TaskView>;

/**
 * The tasks in layers, ordered so that few edges cross. Cycles and missing blockers are tolerated.
 */
export function taskGraph(tasks: Tasks): TaskGraph {
  const depth = depthsOf(tasks);
  const edges = [...tasks.values()].flatMap((task) =>
    knownBlockers(tasks, task).map((blocker): Edge => {
      const isBack = (depth.get(blocker) ?? 0) >= (depth.get(task.id) ?? 0);
      return { blocker, blocked: task.id, isOpen: !isSettled(tasks.get(blocker)), isBack };
    }),
  );
  const linked = new Set(edges.flatMap(({ blocker, blocked }) => [blocker, blocked]));
  const ids = [...tasks.keys()].sort(byId);
  const layers: string[][] = [];
  for (const id of ids.filter((each) => linked.has(each))) {
    const layer = depth.get(id) ?? 0;
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(id);
  }
  return { layers: untangled(layers, edges), edges, loose: ids.filter((id) => !linked.has(id)) };
}

/** All tasks that a task waits for, all that wait for it, and the task itself. */
export function chainOf(edges: readonly Edge[], id: string): ReadonlySet<string> {
  const chain = new Set<string>();
  for (const [from, to] of [
    ["blocked", "blocker"],
    ["blocker", "blocked"],
  ] as const) {
    const next = neighboursBy(edges, from, to);
    const seen = new Set([id]);
    for (const each of seen) for (const other of next.get(each) ?? []) seen.add(other);
    for (const each of seen) chain.add(each);
  }
  return chain;
}

/** The blockers that an unfinished task still waits for, even if they are not on the board. */
export function waitsFor(tasks: Tasks, task: TaskView): string[] {
  const isOpen = task.status === "pending" || task.status === "in_progress";
  return isOpen ? openBlockers(tasks, task) : [];
}

const collator = new Intl.Collator("en", { numeric: true });

/** Ids are usually numbers and compared as such. */
export function byId(a: string, b: string): number {
  return collator.compare(a, b);
}

function knownBlockers(tasks: Tasks, { id, blocked_by }: TaskView): string[] {
  return [...new Set<string>(blocked_by)].filter((other) => other !== id && tasks.has(other));
}

/**
 * The column of each task: after all its blockers, and right before the first task that it blocks,
 * so that edges are short.
 */
function depthsOf(tasks: Tasks): ReadonlyMap<string, number> {
  const depth = longestWays(tasks);
  const blocked = new Map<string, string[]>();
  for (const task of tasks.values()) {
    for (const blocker of knownBlockers(tasks, task)) {
      blocked.set(blocker, [...(blocked.get(blocker) ?? []), task.id]);
    }
  }
  const at = (id: string) => depth.get(id) ?? 0;
  for (const id of [...blocked.keys()].sort((a, b) => at(b) - at(a))) {
    const later = (blocked.get(id) ?? []).map(at).filter((column) => column > at(id));
    if (later.length > 0) depth.set(id, Math.min(...later) - 1);
  }
  return depth;
}

/** For each task, the length of the longest path to it. */
function longestWays(tasks: Tasks): Map<string, number> {
  const waiting = new Map<string, number>();
  const blockedBy = new Map<string, string[]>();
  for (const task of tasks.values()) {
    const blockers = knownBlockers(tasks, task);
    waiting.set(task.id, blockers.length);
    for (const blocker of blockers) {
      blockedBy.set(blocker, [...(blockedBy.get(blocker) ?? []), task.id]);
    }
  }
  const depth = new Map<string, number>();
  const done = new Set<string>();
  const ready = [...waiting.keys()].filter((id) => waiting.get(id) === 0);
  const finish = (id: string) => {
    done.add(id);
    for (const next of blockedBy.get(id) ?? []) {
      if (done.has(next)) continue;
      depth.set(next, Math.max(depth.get(next) ?? 0, (depth.get(id) ?? 0) + 1));
      const left = (waiting.get(next) ?? 0) - 1;
      waiting.set(next, left);
      if (left === 0) ready.push(next);
    }
  };
  // If only cycles are left, the first of their tasks is treated as unblocked.
  for (const start of [...tasks.keys()].sort(byId)) {
    for (let id = ready.shift(); id !== undefined; id = ready.shift())
      if (!done.has(id)) finish(id);
    if (!done.has(start)) finish(start);
  }
  for (const id of ready) if (!done.has(id)) finish(id);
  return depth;
}

const sweeps = 6;

/** Moves each task to the middle of its neighbours, forwards and then backwards. */
function untangled(layers: string[][], edges: readonly Edge[]): string[][] {
  const before = neighboursBy(edges, "blocked", "blocker");
  const after = neighboursBy(edges, "blocker", "blocked");
  let ordered = layers;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0;
    const place = new Map(
      ordered.flatMap((layer) => layer.map((id, at) => [id, (at + 0.5) / layer.length] as const)),
    );
    const sorted = (isForward ? ordered : ordered.toReversed()).map((layer) => {
      const middle = new Map(
        layer.map((id) => {
          const others = (isForward ? before : after).get(id) ?? [];
          const sum = others.reduce((total, other) => total + (place.get(other) ?? 0), 0);
          return [id, others.length > 0 ? sum / others.length : (place.get(id) ?? 0)];
        }),
      );
      const moved = layer.toSorted((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
      for (const [at, id] of moved.entries()) place.set(id, (at + 0.5) / moved.length);
      return moved;
    });
    ordered = isForward ? sorted : sorted.toReversed();
  }
  return ordered;
}

/** For each task at one end of an edge, the tasks at the other end. */
export function neighboursBy(
  edges: readonly Edge[],
  from: "blocker" | "blocked",
  to: "blocker" | "blocked",
): ReadonlyMap<string, string[]> {
  const neighbours = new Map<string, string[]>();
  for (const edge of edges) {
    const others = neighbours.get(edge[from]);
    if (others) others.push(edge[to]);
    else neighbours.set(edge[from], [edge[to]]);
  }
  return neighbours;
}
