import { rounds } from "../lib/alternate.ts";
import { formatCount, formatMs } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, percentile } from "../lib/statistics.ts";
import { atMost } from "./at-most.ts";
import { play } from "./play.ts";
import type { Workbench } from "./workbench.ts";

const times = 100;

/** What a member says, until another that was idle has it in a request. */
export async function measureLatency(workbench: Workbench): Promise<Section> {
  const reports: number[][] = [];
  const letters: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [scene, gaps] of [
      ["reports", reports],
      ["letters", letters],
    ] as const) {
      const { provider } = await play(workbench, { name: `${scene}-${round}`, scene, times });
      gaps.push(provider.gapsMs);
    }
  }
  return describe(reports, letters);
}

function describe(
  reports: readonly (readonly number[])[],
  letters: readonly (readonly number[])[],
): Section {
  const of = (gaps: readonly (readonly number[])[], share: number) =>
    median(gaps.map((round) => percentile(round, share)));
  const limit = (
    what: string,
    gaps: readonly (readonly number[])[],
    [share, target]: readonly [number, number],
  ) => atMost(what, { figure: of(gaps, share), target, format: formatMs });
  const row = (what: string, gaps: readonly (readonly number[])[]) => [
    what,
    formatMs(of(gaps, 0.5)),
    formatMs(of(gaps, 0.99)),
    formatMs(Math.max(...gaps.flat())),
  ];
  return {
    title: "From one member to another",
    about: `From the reply that says it, as the provider's process sends it, to the request of another member that shows it. A report is a teammate's last reply, and the lead is idle. A letter is \`send_message\` of the lead, to an idle teammate. ${formatCount(times)} of each, one after the other, ${rounds} times.`,
    table: {
      head: ["", "p50", "p99", "the latest of all"],
      rows: [row("report", reports), row("letter", letters)],
    },
    targets: [
      limit("report to an idle lead: p50", reports, [0.5, 20]),
      limit("report to an idle lead: p99", reports, [0.99, 100]),
      limit("lead to an idle teammate: p50", letters, [0.5, 20]),
    ],
  };
}
