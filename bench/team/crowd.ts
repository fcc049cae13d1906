import { rounds } from "../lib/alternate.ts";
import { formatCount, formatMegabytes, formatMs } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median } from "../lib/statistics.ts";
import { atMost } from "./at-most.ts";
import { CrowdFigures } from "./contract.ts";
import type { Workbench } from "./workbench.ts";

const members = 200;
const turns = 50;

/** Many members in one process that never waits for a model. */
export async function measureCrowd(workbench: Workbench): Promise<Section> {
  const crowds: CrowdFigures[] = [];
  for (let round = 0; round < rounds; round++) {
    const directory = await workbench.directory(`crowd-${round}`);
    await using crowd = await workbench.start("crowd", { directory, members, turns });
    crowds.push(await crowd.ask({}, CrowdFigures));
  }
  return describe(crowds);
}

function describe(crowds: readonly CrowdFigures[]): Section {
  const finished = Math.min(...crowds.map((crowd) => crowd.finished));
  const of = (figure: (crowd: CrowdFigures) => number) => median(crowds.map(figure));
  const tookMs = of((crowd) => crowd.tookMs);
  const p99 = of(({ lagMs }) => lagMs.p99);
  return {
    title: "Two hundred in one process",
    about: `${formatCount(members)} teammates, each with ${turns} turns, on a model in the same process that answers at once: all but the last turn call a tool that does nothing. Real files, all of it on disk. The event loop's lag is what \`monitorEventLoopDelay\` says, with the 10 ms between two looks in it.`,
    table: {
      head: ["finished", "took", "a turn", "lag p50", "lag p99", "lag at most", "memory"],
      rows: [
        [
          formatCount(finished),
          formatMs(tookMs),
          formatMs(tookMs / (members * turns)),
          formatMs(of(({ lagMs }) => lagMs.p50)),
          formatMs(p99),
          formatMs(of(({ lagMs }) => lagMs.max)),
          formatMegabytes(of(({ peakBytes }) => peakBytes)),
        ],
      ],
    },
    targets: [
      {
        what: `${members} members × ${turns} turns: finished`,
        figure: formatCount(finished),
        target: formatCount(members),
        isMet: finished === members,
      },
      atMost(`${members} members × ${turns} turns: event-loop lag p99`, {
        figure: p99,
        target: 100,
        format: formatMs,
      }),
      {
        what: `${members} members × ${turns} turns: peak memory of the process`,
        figure: formatMegabytes(of(({ peakBytes }) => peakBytes)),
        target: "reported",
        isMet: true,
      },
    ],
  };
}
