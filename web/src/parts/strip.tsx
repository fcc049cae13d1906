import type { ComponentChildren } from "preact";
import { counted } from "../state/amounts.ts";
import { standingCounts, standingWords } from "../state/members.ts";
import { usePageContext, useRoom, useRoomList } from "../state/page-context.ts";
import { useStore } from "../state/store.ts";
import { timeText } from "../state/times.ts";
import { Clock } from "./member.tsx";

/**
 * One line about the state of the team. It is always shown, so that a problem does not move the
 * page.
 */
export function Strip() {
  const { page } = usePageContext();
  const connection = useStore(page.connection, (value) => value);
  const hasTeam = useRoom((room) => room.team !== null);
  const pid = useRoom((room) => room.running?.pid ?? null);
  const host = useRoom((room) => room.running?.host ?? null);
  if (connection.type === "lost") return <LostLine since={connection.since} />;
  if (connection.type === "connecting" || hasTeam === null)
    return <Line tone="calm">Connecting…</Line>;
  if (connection.type === "recorded") {
    const { exportedAt, leftOut } = connection;
    return (
      <Line tone="calm" leftOut={leftOut}>
        A recording of {timeText(exportedAt, new Date())}
      </Line>
    );
  }
  if (!hasTeam) return <Line tone="calm">Waiting for a team</Line>;
  if (pid === null) {
    return (
      <Line tone="warn">
        This team is not running.
        <span class="wide-only"> Mail and answers wait until it runs again.</span>
      </Line>
    );
  }
  return (
    <Line tone="calm" more={<Summary pid={pid} host={host} />}>
      <span class="live-dot" aria-hidden="true" />
      <span title={`Process ${pid} on ${host}`}>Live</span>
    </Line>
  );
}

function LostLine({ since }: { since: string }) {
  return (
    <Line tone="bad">
      Connection lost
      {/* Hidden from screen readers, which would read it every second. */}
      <span aria-hidden="true">
        <Clock since={since} />
      </span>
      <span class="soft"> · reconnecting</span>
      <span class="soft wide-only">
        · If the dashboard was stopped, run <code>troupe web</code> for a new address
      </span>
    </Line>
  );
}

interface StripLineProps {
  tone: string;
  /** The parts that are missing from a recording. */
  leftOut?: readonly string[];
  /** Text that changes too often for screen readers. */
  more?: ComponentChildren;
  /** Announced by screen readers when it changes. */
  children: ComponentChildren;
}

function Line({ tone, leftOut = [], more, children }: StripLineProps) {
  const problems = useRoomList((room) => room.problems);
  return (
    <div class="strip" data-tone={tone}>
      <p role="status">{children}</p>
      {more}
      <Listed title={`${leftOut.length} omitted`} items={leftOut} />
      <Listed title={counted(problems.length, "problem")} items={problems} />
    </div>
  );
}

function Summary({ pid, host }: { pid: number; host: string | null }) {
  const text = useRoom((room) =>
    standingCounts(room)
      .flatMap(([standing, count]) =>
        count > 0 && standing !== "asks" ? [`${count} ${standingWords[standing]}`] : [],
      )
      .join(", "),
  );
  return (
    <p class="strip-more soft">
      {text}
      <span class="wide-only">
        · process {pid} on {host}
      </span>
    </p>
  );
}

/** Damaged records and other problems. */
function Listed({ title, items }: { title: string; items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <details class="problems">
      <summary>{title}</summary>
      <ul>
        {items.map((item, place) => (
          <li key={place}>{item}</li>
        ))}
      </ul>
    </details>
  );
}
