import {
  type MemberFilter,
  type MemberStanding,
  standingCounts,
  standingWords,
} from "../state/members.ts";
import { usePageContext, useRoom } from "../state/page-context.ts";
import { useStore } from "../state/store.ts";

/** Filters the members, in the rail and in the overview. */
export function FilterBox({ label }: { label: string }) {
  const pageContext = usePageContext();
  const filter = useStore(pageContext.filter, (value) => value);
  // A string, so that the component is rendered again only when a number changes.
  const counts = useRoom((room) => JSON.stringify(standingCounts(room)));
  const chips: ReturnType<typeof standingCounts> = JSON.parse(counts ?? "[]");
  return (
    <search class="filter" aria-label={label}>
      <input
        type="search"
        placeholder="Filter members"
        aria-label={label}
        value={filter.text}
        onInput={({ currentTarget }) =>
          pageContext.filter.set({ ...filter, text: currentTarget.value })
        }
      />
      <div class="chips">
        {chips.map(([standing, count]) => (
          <Chip
            key={standing}
            standing={standing}
            count={count}
            isOn={filter.standing === standing}
            onChange={(wanted) => pageContext.filter.set({ ...filter, standing: wanted })}
          />
        ))}
      </div>
    </search>
  );
}

interface StandingChipProps {
  standing: MemberStanding | "asks";
  count: number;
  isOn: boolean;
  onChange: (standing: MemberFilter["standing"]) => void;
}

function Chip({ standing, count, isOn, onChange }: StandingChipProps) {
  const word = standing === "asks" ? "needs you" : standingWords[standing];
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isOn}
      aria-label={`${count} ${word}`}
      title={`${isOn ? "Everybody" : "Only"} ${isOn ? "" : word}`.trim()}
      data-none={count === 0}
      onClick={() => onChange(isOn ? null : standing)}
    >
      <span class="mark" data-standing={standing} />
      <span class="clock">{count}</span>
    </button>
  );
}
