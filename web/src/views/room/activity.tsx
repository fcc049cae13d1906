import type { MessageView, TaskView } from "../../../../src/protocol/dashboard.ts";
import { MemberName } from "../../parts/member.tsx";
import { useRoom, useRoomList } from "../../state/page-context.ts";
import { statusWord } from "../../state/tasks.ts";
import { timeText } from "../../state/times.ts";
import { typeLabel } from "../messages/message-groups.ts";
import { newestMessages, pressingTasks, taskLine } from "./glance.ts";

/** The newest messages, and the tasks that matter most. */
export function Activity() {
  const messages = useRoomList(newestMessages);
  const tasks = useRoomList(pressingTasks);
  const line = useRoom(taskLine);
  return (
    <div class="activity">
      <section aria-label="Newest messages">
        <h2>
          Messages <a href="#/messages">All</a>
        </h2>
        <ol class="glance newest-messages">
          {/* Keyed by position: a new message replaces the text of the first line, and no line moves. */}
          {messages.map((message, place) => (
            <MessageLine key={place} message={message} />
          ))}
        </ol>
        {messages.length === 0 && <p class="empty">No messages yet.</p>}
      </section>
      <section aria-label="Tasks">
        <h2>
          Tasks <span class="soft">{line}</span> <a href="#/tasks">All</a>
        </h2>
        <ul class="glance">
          {tasks.map((task) => (
            <TaskLine key={task.id} task={task} />
          ))}
        </ul>
        {tasks.length === 0 && <p class="empty">No tasks yet.</p>}
      </section>
    </div>
  );
}

function MessageLine({ message }: { message: MessageView }) {
  const { from, to, sent_at, text, state, type } = message;
  return (
    <li class="glance-line">
      <span class="glance-who">
        <MemberName name={from} /> <span class="soft">→</span> <MemberName name={to} />
        <span class="glance-side">
          {state === "delivered" ? "" : `${state} · `}
          {sent_at && <time dateTime={sent_at}>{timeText(sent_at, new Date())}</time>}
        </span>
      </span>
      <span class="glance-text">{text || typeLabel(type)}</span>
    </li>
  );
}

function TaskLine({ task }: { task: TaskView }) {
  return (
    <li class="glance-line">
      <span class="glance-who">
        <span class="task-state" data-status={task.status}>
          {statusWord(task.status)}
        </span>
        {task.owner && <MemberName name={task.owner} />}
        <span class="glance-side">#{task.id}</span>
      </span>
      <span class="glance-text">{task.subject}</span>
    </li>
  );
}
