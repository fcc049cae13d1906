import { useRef } from "preact/hooks";
import { costText } from "../../../../src/protocol/amounts.ts";
import type { AwayView } from "../../../../src/protocol/dashboard.ts";
import { useFocusPassedOn } from "../../hooks/use-focus-passed-on.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { Ago, MemberName } from "../../parts/member.tsx";
import { awayLine, awaySummary } from "../../state/away.ts";
import { usePageContext } from "../../state/page-context.ts";
import { askingText, decisionText } from "../../state/questions.ts";
import { useStore } from "../../state/store.ts";
import { statusWord } from "../../state/tasks.ts";
import "../../styles/away.css";

/**
 * A summary of what happened while the person was away. The panel covers part of the page and moves
 * nothing.
 */
export function AwayPanel() {
  const pageContext = usePageContext();
  const away = useStore(pageContext.away, (value) => value);
  return away && <Away away={away} onDismiss={() => pageContext.away.set(null)} />;
}

function Away({ away, onDismiss }: { away: AwayView; onDismiss: () => void }) {
  const element = useRef<HTMLElement>(null);
  useFocusPassedOn(element, () => document.getElementById("main"));
  return (
    <section class="away" aria-label="While you were away" ref={element}>
      <header class="away-head">
        <h2>While you were away</h2>
        <span class="soft">
          <Ago at={away.since} />
        </span>
        <button type="button" class="tool" aria-label="Dismiss" onClick={onDismiss}>
          <CloseIcon />
        </button>
      </header>
      <p class="away-line" role="status">
        {awayLine(away)}
        {away.cost_usd > 0 && ` · ${costText(away.cost_usd, 0)}`}
      </p>
      <Details away={away} />
    </section>
  );
}

function Details({ away }: { away: AwayView }) {
  const { finished, asked, decided } = awaySummary(away);
  return (
    <ul class="away-list">
      {asked.map((request) => (
        <li key={request.id} data-tone={request.is_open ? "warn" : "calm"}>
          <MemberName name={request.from} /> {askingText(request)}
        </li>
      ))}
      {finished.map((task) => (
        <li key={task.id} data-tone={task.status === "failed" ? "bad" : "good"}>
          Task #{task.id} {statusWord(task.status)}: {task.subject}
        </li>
      ))}
      {away.results.map((result) => (
        <li key={result.id} data-tone={result.facts.outcome === "done" ? "good" : "bad"}>
          <MemberName name={result.from} /> {result.facts.outcome ?? "ended"}: {result.text}
        </li>
      ))}
      {decided.map((request) => (
        <li key={request.id}>
          <MemberName name={request.from} /> {askingText(request)}: {decisionText(request)}
        </li>
      ))}
    </ul>
  );
}
