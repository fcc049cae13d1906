import { useEffect, useMemo, useState } from "preact/hooks";
import type { CostView as Spend } from "../../../../src/protocol/dashboard.ts";
import { counted } from "../../state/amounts.ts";
import { cssColor, spendOf } from "../../state/members.ts";
import type { Page } from "../../state/page.ts";
import { useStore } from "../../state/store.ts";
import "../../styles/views.css";
import "../../styles/cost.css";
import { type MemberColors, useMemberLooks } from "../../hooks/use-member-looks.ts";
import { CostChart } from "./cost-chart.tsx";
import { type Cost, CostFeed, type Scheduler } from "./cost-feed.ts";
import { CostTable } from "./cost-table.tsx";
import { bandColors, bandsOf, type Measure, totalsOf, usualMeasure } from "./spend.ts";

/** The team's cost, over time and per member. */
export function CostView({ page }: { page: Page }) {
  const cast = useMemberLooks(page);
  const { view, problem } = useCost(page);
  const [wanted, setWanted] = useState<Measure | null>(null);
  const measure = wanted ?? (view ? usualMeasure(view) : "cost");
  return (
    <section class="cost view" aria-label="Cost">
      <h2 class="hidden">Cost</h2>
      <header class="cost-header">
        <p>{view && noteOf(view)}</p>
        <fieldset class="choices">
          <legend class="hidden">What to show</legend>
          {(["cost", "tokens"] as const).map((each) => (
            <button
              key={each}
              type="button"
              class="choice"
              aria-pressed={measure === each}
              onClick={() => setWanted(each)}
            >
              {each === "cost" ? "Cost" : "Tokens"}
            </button>
          ))}
        </fieldset>
      </header>
      {problem !== null && <p role="alert">The cost could not be loaded: {problem}</p>}
      {view && <Shown page={page} view={view} cast={cast} measure={measure} />}
    </section>
  );
}

interface ShownProps {
  page: Page;
  view: Spend;
  cast: MemberColors;
  measure: Measure;
}

function Shown({ page, view, cast, measure }: ShownProps) {
  const colorOf = (name: string) => cssColor(cast.get(name)?.color ?? null);
  const bands = useMemo(() => bandsOf(view, measure), [view, measure]);
  const colors = bandColors(bands, colorOf);
  const totals = useMemo(() => totalsOf(view, measure), [view, measure]);
  if (totals.every(({ tokens, cost }) => tokens === 0 && cost === 0)) {
    return (
      <div class="view-empty">
        <h2>Nothing spent yet</h2>
        <p>Every model call is counted here, with its cost if the price is known.</p>
      </div>
    );
  }
  return (
    <>
      {bands.length > 0 ? (
        <CostChart view={view} bands={bands} colors={colors} measure={measure} />
      ) : (
        <p class="view-none">No call has a known price. See the tokens instead.</p>
      )}
      <CostTable
        page={page}
        totals={totals}
        measure={measure}
        nameColor={colorOf}
        barColor={(name) => colors.get(name) ?? "var(--ink-faint)"}
      />
    </>
  );
}

function noteOf({ members }: Spend): string {
  const unpriced = members.reduce((sum, { unpriced_calls }) => sum + unpriced_calls, 0);
  if (unpriced === 0) return "";
  const calls = `${counted(unpriced, "call")} went to models with unknown prices`;
  return `${calls} and ${unpriced === 1 ? "is" : "are"} not in the cost.`;
}

const later: Scheduler = (task, afterMs) => {
  const timer = setTimeout(task, afterMs);
  return () => clearTimeout(timer);
};

/** The cost, fetched while this view is open. */
function useCost(page: Page): Cost {
  const team = useStore(page.room, (room) => room?.team?.id);
  // Another team has another cost.
  const feed = useMemo(() => new CostFeed(page.source, later), [page, team]);
  const spent = useStore(page.room, (room) => {
    const { tokens, usd, unpricedCalls } = spendOf(room?.members.values() ?? []);
    return `${tokens} ${usd} ${unpricedCalls}`;
  });
  // Fetches again when the totals change.
  useEffect(() => feed.refresh(), [feed, spent]);
  useEffect(() => () => feed.close(), [feed]);
  return useStore(feed.state, (cost) => cost);
}
