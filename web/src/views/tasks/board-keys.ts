import type { BoardLayout } from "./board-layout.ts";
import type { TaskGraph } from "./task-graph.ts";

/** The card that an arrow key leads to: the nearest one in that direction. */
export function nextOnBoard(
  key: string,
  from: string,
  graph: TaskGraph,
  layout: BoardLayout,
): string | null {
  const place = layout.places.get(from);
  const direction = directions.get(key);
  if (!place || !direction) return null;
  let nearest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  const linked = new Set(
    graph.edges.flatMap(({ blocker, blocked }) =>
      blocker === from ? [blocked] : blocked === from ? [blocker] : [],
    ),
  );
  for (const [id, { x, y }] of layout.places) {
    const [dx, dy] = [x - place.x, y - place.y];
    const ahead = dx * direction.x + dy * direction.y;
    if (id === from || ahead <= 0) continue;
    const aside = Math.abs(dx * direction.y) + Math.abs(dy * direction.x);
    // Sideways, linked cards are preferred to nearer ones.
    const bonus = direction.x !== 0 && linked.has(id) ? 100_000 : 0;
    const distance = ahead + 3 * aside - bonus;
    if (distance < least) [nearest, least] = [id, distance];
  }
  return nearest;
}

const directions: ReadonlyMap<string, { x: number; y: number }> = new Map([
  ["ArrowLeft", { x: -1, y: 0 }],
  ["ArrowRight", { x: 1, y: 0 }],
  ["ArrowUp", { x: 0, y: -1 }],
  ["ArrowDown", { x: 0, y: 1 }],
]);
