import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TaskView } from "../../../../src/protocol/dashboard.ts";
import type { MemberColors } from "../../hooks/use-member-looks.ts";
import { useSize } from "../../hooks/use-size.ts";
import { nextOnBoard } from "./board-keys.ts";
import { type BoardLayout, boardLayout, curveOf } from "./board-layout.ts";
import { TaskCard } from "./task-card.tsx";
import { chainOf, type Edge, type TaskGraph, taskGraph } from "./task-graph.ts";

export interface BoardProps {
  /** All tasks on the board, and those that match the filter. */
  all: ReadonlyMap<string, TaskView>;
  shown: ReadonlyMap<string, TaskView>;
  cast: MemberColors;
  selected: string | null;
  onSelect(id: string): void;
}

/** Tasks as cards, from left to right in the order in which they can be done. */
export function TaskBoard(props: BoardProps) {
  const { shown, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(scroller);
  const graph = useMemo(() => taskGraph(shown), [shown]);
  const layout = useMemo(() => boardLayout(graph, width), [graph, width]);
  const [pointed, setPointed] = useState<string | null>(null);
  const centre = pointed ?? selected;
  const chain = useMemo(
    () => (centre === null ? null : chainOf(graph.edges, centre)),
    [graph, centre],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const focused = document.activeElement?.closest<HTMLElement>("[data-task]")?.dataset.task;
    const next = focused === undefined ? null : nextOnBoard(event.key, focused, graph, layout);
    if (next === null) return;
    event.preventDefault();
    cardIn(scroller.current, next)?.focus();
  };
  useInSight(scroller, selected, height);
  // Only pointing at a card dims the others: a selection stays, and the others must remain
  // readable.
  const isLit = pointed !== null && chain !== null && chain.size > 1;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the cards have the focus, and their board handles the arrow keys.
    <div class="task-board" ref={scroller} data-lit={isLit} onKeyDown={onKeyDown}>
      <div class="task-canvas" style={{ width: `${layout.width}px`, height: `${layout.height}px` }}>
        <Curves edges={graph.edges} layout={layout} chain={chain} />
        {graph.loose.length > 0 && graph.edges.length > 0 && (
          <h3 class="task-loose" style={{ top: `${layout.graphHeight}px` }}>
            Without dependencies
          </h3>
        )}
        <Cards {...props} graph={graph} layout={layout} chain={chain} onPoint={setPointed} />
      </div>
    </div>
  );
}

/** Keeps the selected task visible when the panel of details opens. */
function useInSight(
  board: RefObject<HTMLElement | null>,
  selected: string | null,
  height: number,
): void {
  useLayoutEffect(() => {
    if (selected === null) return;
    cardIn(board.current, selected)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [board, selected, height]);
}

function cardIn(board: HTMLElement | null, id: string): HTMLElement | null {
  return board?.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`) ?? null;
}

interface CardsProps extends BoardProps {
  graph: TaskGraph;
  layout: BoardLayout;
  chain: ReadonlySet<string> | null;
  onPoint(id: string | null): void;
}

function Cards(props: CardsProps) {
  const { all, shown, cast, selected, onSelect, graph, layout, chain, onPoint } = props;
  const ids = useMemo(() => [...graph.layers.flat(), ...graph.loose], [graph]);
  const tabStop = selected !== null && shown.has(selected) ? selected : ids[0];
  return (
    <ul class="task-cards">
      {ids.map((id) => {
        const task = shown.get(id);
        const place = layout.places.get(id);
        if (!task || !place) return null;
        return (
          <TaskCard
            key={id}
            all={all}
            task={task}
            place={place}
            color={cast.get(task.owner ?? "")?.color ?? null}
            isLit={chain?.has(id) ?? false}
            isSelected={id === selected}
            isTabStop={id === tabStop}
            onSelect={onSelect}
            onPoint={onPoint}
          />
        );
      })}
    </ul>
  );
}

interface CurvesProps {
  edges: readonly Edge[];
  layout: BoardLayout;
  chain: ReadonlySet<string> | null;
}

/** Every curve is drawn once; the curves of the highlighted chain are drawn over them. */
function Curves({ edges, layout, chain }: CurvesProps) {
  const all = useMemo(
    () => edges.map((edge) => <Curve key={keyOf(edge)} edge={edge} layout={layout} />),
    [edges, layout],
  );
  const lit = edges.filter(({ blocker, blocked }) => chain?.has(blocker) && chain.has(blocked));
  return (
    <svg class="task-curves" aria-hidden="true" width={layout.width} height={layout.height}>
      <defs>
        <marker
          id="task-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="6"
          markerHeight="6"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8Z" />
        </marker>
      </defs>
      <g class="task-all">{all}</g>
      <g class="task-lit">
        {lit.map((edge) => (
          <Curve key={keyOf(edge)} edge={edge} layout={layout} />
        ))}
      </g>
    </svg>
  );
}

function Curve({ edge, layout }: { edge: Edge; layout: BoardLayout }) {
  return (
    <path
      d={curveOf(edge, layout.places)}
      data-open={edge.isOpen}
      data-back={edge.isBack}
      marker-end="url(#task-arrow)"
    />
  );
}

function keyOf({ blocker, blocked }: Edge): string {
  return `${blocker} ${blocked}`;
}
