import { useMemo, useState } from "preact/hooks";
import type { TaskView } from "../../../../src/protocol/dashboard.ts";
import { counted } from "../../state/amounts.ts";
import type { Page } from "../../state/page.ts";
import { useStore } from "../../state/store.ts";
import "../../styles/views.css";
import "../../styles/tasks.css";
import { useMedia } from "../../hooks/use-media.ts";
import { useMemberLooks } from "../../hooks/use-member-looks.ts";
import { TaskBoard } from "./task-board.tsx";
import { TaskDetail } from "./task-detail.tsx";
import { TaskFilters } from "./task-filters.tsx";
import { filteredTasks, type TaskFilter } from "./task-list.ts";
import { TaskTable } from "./task-table.tsx";

const noTasks: ReadonlyMap<string, TaskView> = new Map<string, TaskView>();

/** The task board, drawn with its dependencies or as a list. */
export function TasksView({ page }: { page: Page }) {
  const all = useStore(page.room, (room) => room?.tasks) ?? noTasks;
  const cast = useMemberLooks(page);
  const [filter, setFilter] = useState<TaskFilter>({ status: null, owner: null });
  const [wantsList, setWantsList] = useState(false);
  const isSmall = useMedia("(max-width: 720px)");
  const [selected, setSelected] = useState<string | null>(null);
  const shown = useMemo(() => filteredTasks(all.values(), filter), [all, filter]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || selected === null) return;
    event.preventDefault();
    setSelected(null);
  };
  const task = selected === null ? undefined : all.get(selected);
  if (all.size === 0) return <NoTasks />;
  const Shown = wantsList || isSmall ? TaskTable : TaskBoard;
  return (
    <section class="tasks view" aria-label="Tasks" onKeyDown={onKeyDown}>
      <h2 class="hidden">Tasks</h2>
      <TaskFilters
        all={all}
        filter={filter}
        onFilter={setFilter}
        isList={wantsList}
        onList={isSmall ? null : setWantsList}
      />
      <div class="view-main" data-detail={task ? "open" : "closed"}>
        {shown.size > 0 ? (
          <Shown all={all} shown={shown} cast={cast} selected={selected} onSelect={setSelected} />
        ) : (
          <p class="view-none">None of the {counted(all.size, "task")} matches the filter.</p>
        )}
        {task && (
          <TaskDetail page={page} all={all} task={task} cast={cast} onSelect={setSelected} />
        )}
      </div>
    </section>
  );
}

function NoTasks() {
  return (
    <section class="view-empty" aria-label="Tasks">
      <h2>No tasks yet</h2>
      <p>
        Members put work on this board with <code>create_task</code>, with their dependencies, and
        claim free tasks. Ask the lead to split the work into tasks, and they appear here.
      </p>
    </section>
  );
}
