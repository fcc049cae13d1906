import { useMemo } from "preact/hooks";
import type { TaskView } from "../../../../src/protocol/dashboard.ts";
import { cssColor } from "../../state/members.ts";
import { type Status, statusWord } from "../../state/tasks.ts";
import { timeText } from "../../state/times.ts";
import type { CardPosition } from "./board-layout.ts";
import { waitsFor } from "./task-graph.ts";

interface CardProps {
  all: ReadonlyMap<string, TaskView>;
  task: TaskView;
  place: CardPosition;
  color: string | null;
  /** True if the task belongs to the highlighted chain. */
  isLit: boolean;
  isSelected: boolean;
  isTabStop: boolean;
  onSelect(id: string): void;
  onPoint(id: string | null): void;
}

export function TaskCard(props: CardProps) {
  const { all, task, color, isLit, isSelected, isTabStop, onSelect, onPoint } = props;
  const { x, y } = props.place;
  const waits = useMemo(() => waitsFor(all, task).join(", "), [all, task]);
  return useMemo(
    () => (
      <li style={{ transform: `translate(${x}px, ${y}px)` }}>
        <button
          type="button"
          class="task-card"
          data-task={task.id}
          data-status={task.status}
          data-lit={isLit}
          aria-pressed={isSelected}
          tabIndex={isTabStop ? 0 : -1}
          onClick={() => onSelect(task.id)}
          onPointerEnter={() => onPoint(task.id)}
          onPointerLeave={() => onPoint(null)}
          onFocus={() => onPoint(task.id)}
          onBlur={() => onPoint(null)}
        >
          <span class="task-top">
            <span class="task-id">{task.id}</span>
            <StatusWord status={task.status} />
          </span>
          <span class="task-subject">{task.subject}</span>
          <span class="task-foot">
            {task.owner && (
              <span class="task-owner" style={{ color: cssColor(color) }}>
                {task.owner}
              </span>
            )}
            <span class="task-since">{waits ? `waits for ${waits}` : sinceText(task)}</span>
          </span>
        </button>
      </li>
    ),
    [task, waits, x, y, color, isLit, isSelected, isTabStop, onSelect, onPoint],
  );
}

export function StatusWord({ status }: { status: Status }) {
  return (
    <span class="task-status" data-status={status}>
      {statusWord(status)}
    </span>
  );
}

/** The time of its last change. */
function sinceText({ updated_at }: TaskView): string {
  return `since ${timeText(updated_at, new Date())}`;
}
