import { type Edge, neighboursBy, type TaskGraph } from "./task-graph.ts";

/** The sizes of the board in pixels. The style sheet has the same size for cards. */
const cardWidth = 216;
export const cardHeight = 102;
const columnGap = 64;
const rowGap = 16;
const edge = 4;

export interface CardPosition {
  x: number;
  y: number;
}

export interface BoardLayout {
  places: ReadonlyMap<string, CardPosition>;
  /** The height of the tasks with dependencies; the others follow below. */
  graphHeight: number;
  width: number;
  height: number;
}

/**
 * The position of each card. Tasks with dependencies are in layers from left to right, each card
 * level with its blockers if there is space. Tasks without dependencies are below, in rows as wide
 * as the view.
 */
export function boardLayout({ layers, edges, loose }: TaskGraph, available: number): BoardLayout {
  const places = new Map<string, CardPosition>();
  const blockers = neighboursBy(edges, "blocked", "blocker");
  let graphHeight = 0;
  for (const [column, layer] of layers.entries()) {
    const x = edge + column * (cardWidth + columnGap);
    let y = edge;
    for (const id of layer) {
      y = Math.max(y, levelOf(blockers.get(id) ?? [], places));
      places.set(id, { x, y });
      y += cardHeight + rowGap;
    }
    graphHeight = Math.max(graphHeight, y);
  }
  const graphWidth = layers.length * (cardWidth + columnGap) - columnGap + 2 * edge;
  const perRow = Math.max(1, Math.floor((available - 2 * edge + rowGap) / (cardWidth + rowGap)));
  const looseTop = graphHeight + (graphHeight > 0 && loose.length > 0 ? looseHeading : edge);
  for (const [at, id] of loose.entries()) {
    places.set(id, {
      x: edge + (at % perRow) * (cardWidth + rowGap),
      y: looseTop + Math.floor(at / perRow) * (cardHeight + rowGap),
    });
  }
  const looseRows = Math.ceil(loose.length / perRow);
  const height = looseTop + looseRows * (cardHeight + rowGap);
  const looseWidth = Math.min(loose.length, perRow) * (cardWidth + rowGap);
  return { places, graphHeight, width: Math.max(graphWidth, looseWidth), height };
}

/** The height of the heading above tasks without dependencies. */
const looseHeading = 44;

/** The curve from a blocker to the task that it blocks. */
export function curveOf({ blocker, blocked }: Edge, places: BoardLayout["places"]): string {
  const [from, to] = [places.get(blocker), places.get(blocked)];
  if (!from || !to) return "";
  const [x1, y1] = [from.x + cardWidth, from.y + cardHeight / 2];
  const [x2, y2] = [to.x - 5, to.y + cardHeight / 2];
  // An edge that leads back, as in a cycle, needs a wider bend to be visible.
  const bend = x2 > x1 ? Math.max(28, Math.min(120, (x2 - x1) / 2)) : 90;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

function levelOf(blockers: readonly string[], places: BoardLayout["places"]): number {
  const levels = blockers.flatMap((blocker) => places.get(blocker)?.y ?? []);
  return levels.length > 0 ? levels.reduce((sum, level) => sum + level, 0) / levels.length : 0;
}
