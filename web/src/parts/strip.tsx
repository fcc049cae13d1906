import { counted, timeText } from "../state/amounts.ts";
import { useDesk, useRoom, useRoomList } from "../state/desk.ts";
import { standingCounts, standingWords } from "../state/members.ts";
import { useStore } from "../state/store.ts";
import { Clock } from "./member.tsx";

/** One line about how things stand. It is always there, so that trouble moves nothing. */
export function Strip() {
  const { page } = useDesk();
  const connection = useStore(page.connection, (value) => value);
  const hasTeam = useRoom((room) => room.team !== null);
  const pid = useRoom((room) => room.running?.pid ?? null);
  const host = useRoom((room) => room.running?.host ?? null);
  if (connection.type === "lost") {
    return (
      <Line tone="bad">
        Connection lost
        {/* Read aloud, it would be read every second. */}
        <span aria-hidden="true">
          <Clock since={connection.since} />
        </span>
        <span class="soft"> · it is made again by itself</span>
      </Line>
    );
  }
  if (connection.type === "connecting" || hasTeam === null)
    return <Line tone="calm">Connecting…</Line>;
  if (connection.type === "recorded")
    return <Line tone="calm">A recording of {timeText(connection.exportedAt, new Date())}</Line>;
  if (!hasTeam) return <Line tone="calm">Waiting for a team</Line>;
  if (pid === null) {
    return (
      <Line tone="warn">
        Nobody runs this team.
        <span class="wide-only"> Mail and answers wait until it runs again.</span>
      </Line>
    );
  }
  return (
    <Line tone="calm">
      <span class="live-dot" aria-hidden="true" />
      <span title={`Process ${pid} on ${host}`}>Live</span>
      <Summary />
      <span class="wide-only soft">
        · process {pid} on {host}
      </span>
    </Line>
  );
}

function Line({ tone, children }: { tone: string; children: preact.ComponentChildren }) {
  return (
    <div class="strip" data-tone={tone}>
      <p role="status">{children}</p>
      <Problems />
    </div>
  );
}

function Summary() {
  const text = useRoom((room) =>
    standingCounts(room)
      .flatMap(([standing, count]) =>
        count > 0 && standing !== "asks" ? [`${count} ${standingWords[standing]}`] : [],
      )
      .join(", "),
  );
  return <span class="soft">{text}</span>;
}

/** Records that are damaged, and the like. */
function Problems() {
  const problems = useRoomList((room) => room.problems);
  if (problems.length === 0) return null;
  return (
    <details class="problems">
      <summary>{counted(problems.length, "problem")}</summary>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </details>
  );
}
