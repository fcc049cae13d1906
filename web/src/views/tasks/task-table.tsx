import { useMemo, useState } from "preact/hooks";
import type { TaskView } from "../../../../src/protocol/dashboard.ts";
import { cssColor } from "../../state/members.ts";
import { timeText } from "../../state/times.ts";
import "../../styles/task-list.css";
import type { MemberColors } from "../../hooks/use-member-looks.ts";
import type { BoardProps } from "./task-board.tsx";
import { StatusWord } from "./task-card.tsx";
import { waitsFor } from "./task-graph.ts";
import { type Sorting, type SortKey, sortedTasks } from "./task-list.ts";

const columns: readonly { by: SortKey; label: string }[] = [
  { by: "id", label: "Id" },
  { by: "subject", label: "Task" },
  { by: "status", label: "Status" },
  { by: "owner", label: "Owner" },
  { by: "updated_at", label: "Since" },
];

/** The same tasks as a table. */
export function TaskTable({ all, shown, cast, selected, onSelect }: BoardProps) {
  const [sorting, setSorting] = useState<Sorting>({ by: "id", isDescending: false });
  const tasks = useMemo(() => sortedTasks(shown.values(), sorting), [shown, sorting]);
  return (
    <div class="task-list">
      <table>
        <thead>
          <tr>
            {columns.map(({ by, label }) => (
              <Heading key={by} by={by} label={label} sorting={sorting} onSort={setSorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <TaskLine
              key={task.id}
              task={task}
              waits={waitsFor(all, task).join(", ")}
              cast={cast}
              isSelected={task.id === selected}
              onSelect={onSelect}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadingProps {
  by: SortKey;
  label: string;
  sorting: Sorting;
  onSort(sorting: Sorting): void;
}

function Heading({ by, label, sorting, onSort }: HeadingProps) {
  const isSorted = sorting.by === by;
  const order = sorting.isDescending ? "descending" : "ascending";
  return (
    <th scope="col" data-column={by} aria-sort={isSorted ? order : "none"}>
      <button
        type="button"
        onClick={() => onSort({ by, isDescending: isSorted && !sorting.isDescending })}
      >
        {label}
        <span class="task-sort" aria-hidden="true">
          {isSorted ? (sorting.isDescending ? "↓" : "↑") : ""}
        </span>
      </button>
    </th>
  );
}

interface TaskLineProps {
  task: TaskView;
  waits: string;
  cast: MemberColors;
  isSelected: boolean;
  onSelect(id: string): void;
}

function TaskLine({ task, waits, cast, isSelected, onSelect }: TaskLineProps) {
  return useMemo(
    () => (
      <tr data-selected={isSelected} onClick={() => onSelect(task.id)}>
        <td data-column="id">{task.id}</td>
        <td data-column="subject">
          <button type="button" class="task-open" data-task={task.id} aria-pressed={isSelected}>
            {task.subject}
          </button>
          {waits && <span class="task-since"> waits for {waits}</span>}
        </td>
        <td data-column="status">
          <StatusWord status={task.status} />
        </td>
        <td data-column="owner">
          <span
            class="task-owner"
            style={{ color: cssColor(cast.get(task.owner ?? "")?.color ?? null) }}
          >
            {task.owner ?? "–"}
          </span>
        </td>
        <td data-column="updated_at">{timeText(task.updated_at, new Date())}</td>
      </tr>
    ),
    [task, waits, cast, isSelected, onSelect],
  );
}
