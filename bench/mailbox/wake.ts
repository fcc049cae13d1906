import { alternate } from "../lib/alternate.ts";
import { formatCount, formatMs } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, percentile } from "../lib/statistics.ts";
import { Done, ListenAnswer } from "./contract.ts";
import type { Workbench } from "./workbench.ts";

const count = 400;
const maxGapMs = 8;

/** One process sends at intervals, and another is woken by it. */
export async function measureWake(workbench: Workbench): Promise<Section> {
  const directory = await workbench.directory("wake");
  await using listener = await workbench.start("listener", { directory });
  await using ticker = await workbench.start("ticker", { directory });
  const latenciesOf = await alternate(["troupe"], async () => {
    await ticker.ask({ count, maxGapMs }, Done);
    const { latenciesMs } = await listener.ask({ count }, ListenAnswer);
    return latenciesMs;
  });
  return describe(latenciesOf("troupe"));
}

function describe(rounds: readonly (readonly number[])[]): Section {
  const middle = median(rounds.map((latencies) => percentile(latencies, 0.5)));
  const late = median(rounds.map((latencies) => percentile(latencies, 0.99)));
  const latest = Math.max(...rounds.flat());
  return {
    title: "Waking another process",
    about: `One process sends ${formatCount(count)} messages a round, up to ${maxGapMs} ms apart; another is woken by its directory watch and reads. From before the send until the checked message is in the reader's hands.`,
    table: {
      head: ["p50", "p99", "the latest of all"],
      rows: [[formatMs(middle), formatMs(late), formatMs(latest)]],
    },
    targets: [
      {
        what: "wake in another process: p50",
        figure: formatMs(middle),
        target: "≤ 1 ms",
        isMet: middle <= 1,
      },
      {
        what: "wake in another process: p99",
        figure: formatMs(late),
        target: "≤ 10 ms",
        isMet: late <= 10,
      },
    ],
  };
}
