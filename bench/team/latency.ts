import { rounds } from "../lib/alternate.ts";
import { formatCount, formatMs } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, percentile } from "../lib/statistics.ts";
import { atMost } from "./at-most.ts";
import { play } from "./play.ts";
import type { Workbench } from "./workbench.ts";

const times = 100;
const atOnce = 4;

/** What a member says, until another that was idle has it in a request. */
export async function measureLatency(workbench: Workbench): Promise<Section> {
  const reports: number[][] = [];
  const crowded: number[][] = [];
  const letters: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [scene, gaps, teammates] of [
      ["reports", reports, 1],
      ["reports-at-once", crowded, atOnce],
      ["letters", letters, 1],
    ] as const) {
      const name = `${scene}-${round}`;
      const { provider } = await play(workbench, { name, scene, times, teammates });
      gaps.push(provider.gapsMs);
    }
  }
  return describe({ reports, crowded, letters });
}

/** In milliseconds, of each round. */
type Gaps = readonly (readonly number[])[];

function describe({
  reports,
  crowded,
  letters,
}: Record<"reports" | "crowded" | "letters", Gaps>): Section {
  const of = (gaps: Gaps, share: number) => median(gaps.map((round) => percentile(round, share)));
  const limit = (what: string, gaps: Gaps, [share, target]: readonly [number, number]) =>
    atMost(what, { figure: of(gaps, share), target, format: formatMs });
  const row = (what: string, gaps: Gaps) => [
    what,
    formatMs(of(gaps, 0.5)),
    formatMs(of(gaps, 0.99)),
    formatMs(Math.max(...gaps.flat())),
  ];
  return {
    title: "From one member to another",
    about: `From the reply that says it, as the provider's process sends it, to the request of another member that shows it. A report is a teammate's last reply, and the lead is idle; or ${atOnce} teammates make theirs in the same moment. A letter is \`send_message\` of the lead, to an idle teammate. ${formatCount(times)} of each, one after the other, ${rounds} times.`,
    table: {
      head: ["", "p50", "p99", "the latest of all"],
      rows: [
        row("report", reports),
        row(`report, while ${atOnce} end at once`, crowded),
        row("letter", letters),
      ],
    },
    targets: [
      limit("report to an idle lead: p50", reports, [0.5, 15]),
      limit(`report to an idle lead while ${atOnce} end at once: p50`, crowded, [0.5, 15]),
      limit("report to an idle lead: p99", reports, [0.99, 100]),
      limit("lead to an idle teammate: p50", letters, [0.5, 20]),
    ],
  };
}
