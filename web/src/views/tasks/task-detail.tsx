import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { TaskView } from "../../../../src/protocol/dashboard.ts";
import { useFocusPassedOn } from "../../hooks/use-focus-passed-on.ts";
import type { MemberColors } from "../../hooks/use-member-looks.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { cssColor } from "../../state/members.ts";
import type { Page } from "../../state/page.ts";
import { momentText } from "../../state/times.ts";
import { StatusWord } from "./task-card.tsx";
import { byId } from "./task-graph.ts";

interface TaskDetailProps {
  page: Page;
  all: ReadonlyMap<string, TaskView>;
  task: TaskView;
  cast: MemberColors;
  onSelect(id: string | null): void;
}

/** All details of a task. */
export function TaskDetail(props: TaskDetailProps) {
  const { task, onSelect } = props;
  const element = useRef<HTMLElement>(null);
  const last = useRef(task.id);
  last.current = task.id;
  useFocusPassedOn(element, () => openerOf(last.current));
  return (
    <aside class="detail" aria-label={`Task ${task.id}`} ref={element}>
      <header>
        <span class="task-id">{task.id}</span>
        <StatusWord status={task.status} />
        <button type="button" class="tool" aria-label="Close" onClick={() => onSelect(null)}>
          <CloseIcon />
        </button>
      </header>
      <h2>{task.subject}</h2>
      <Facts {...props} />
      <h3>Description</h3>
      <pre>{task.description || "None."}</pre>
      {task.result !== null && (
        <>
          <h3>Result</h3>
          <pre>{task.result || "None."}</pre>
        </>
      )}
    </aside>
  );
}

/** The element that opens the task's details, on the board or in the list. */
function openerOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.tasks [data-task="${CSS.escape(id)}"]`);
}

function Facts({ page, all, task, cast, onSelect }: TaskDetailProps) {
  const blocks = [...all.values()]
    .filter(({ blocked_by }) => blocked_by.includes(task.id))
    .map(({ id }) => id)
    .sort(byId);
  const member = (name: string) => (
    <button
      type="button"
      class="task-owner task-link"
      disabled={!cast.has(name)}
      style={{ color: cssColor(cast.get(name)?.color ?? null) }}
      onClick={() => page.go({ view: "member", name })}
    >
      {name}
    </button>
  );
  const links = (ids: readonly string[]) =>
    ids.map((id) => <TaskLink key={id} id={id} task={all.get(id)} onSelect={onSelect} />);
  return (
    <dl>
      <Line label="Owner">{task.owner ? member(task.owner) : "nobody yet"}</Line>
      {task.blocked_by.length > 0 && <Line label="Waits for">{links(task.blocked_by)}</Line>}
      {blocks.length > 0 && <Line label="Blocks">{links(blocks)}</Line>}
      <Line label="Created">
        {momentText(task.created_at)} by {member(task.created_by)}
      </Line>
      <Line label="Changed">{momentText(task.updated_at)}</Line>
    </dl>
  );
}

function Line({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

interface LinkProps {
  id: string;
  task: TaskView | undefined;
  onSelect(id: string): void;
}

function TaskLink({ id, task, onSelect }: LinkProps) {
  if (!task) return <span class="task-missing">{id} (not on the board) </span>;
  return (
    <button
      type="button"
      class="task-link"
      data-status={task.status}
      title={task.subject}
      onClick={() => onSelect(id)}
    >
      {id} {task.subject}
    </button>
  );
}
