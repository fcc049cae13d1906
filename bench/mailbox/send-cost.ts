import { alternate } from "../lib/alternate.ts";
import { ChildGroup } from "../lib/child-group.ts";
import { formatCount, formatMicroseconds, formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, medianRatio } from "../lib/statistics.ts";
import { UnreadAnswer, type UnreadQuestion } from "./contract.ts";
import type { DesignName } from "./designs/design.ts";
import type { Workbench } from "./workbench.ts";

const designs: DesignName[] = ["troupe", "teaching", "array"];

/** Several mailboxes, so that few sends do not change the number of unread messages. */
const appendLoads: UnreadQuestion[] = [
  { unread: 10, mailboxes: 200, sends: 10 },
  { unread: 1000, mailboxes: 20, sends: 100 },
  { unread: 100_000, mailboxes: 1, sends: 2000 },
];
const arrayLoads: UnreadQuestion[] = [
  { unread: 10, mailboxes: 4, sends: 5 },
  { unread: 1000, mailboxes: 2, sends: 5 },
  { unread: 100_000, mailboxes: 1, sends: 1 },
];

/** The cost of one send in microseconds, for each load. */
type Costs = readonly number[];

/** One process sends to mailboxes that hold few, many and very many unread messages. */
export async function measureSendCost(workbench: Workbench): Promise<Section> {
  await using senders = await ChildGroup.start(designs, async (design) => {
    const directory = await workbench.directory(`cost-${design}`);
    return workbench.start("unread-sender", { design, directory });
  });
  const costsOf = await alternate(designs, async (design) => {
    const costs: number[] = [];
    for (const load of design === "array" ? arrayLoads : appendLoads) {
      const { medianNs } = await senders.ask(design, load, UnreadAnswer);
      costs.push(medianNs / 1000);
    }
    return costs;
  });
  return describe(costsOf);
}

function describe(costsOf: (design: DesignName) => readonly Costs[]): Section {
  const ours = costsOf("troupe");
  const growth = median(ours.map((costs) => Math.max(...costs) / Math.min(...costs)));
  const advantage = medianRatio(atLoad(costsOf("array"), 1), atLoad(ours, 1));
  return {
    title: "One send, by what lies unread",
    about:
      "The median of single sends. The array design reads, parses and writes the whole file under `proper-lockfile` for each message; nobody else wants its lock here.",
    table: {
      head: ["design", ...appendLoads.map(({ unread }) => `${formatCount(unread)} unread`)],
      rows: designs.map((design) => [
        design,
        ...appendLoads.map((_, load) => formatMicroseconds(median(atLoad(costsOf(design), load)))),
      ]),
    },
    targets: [
      {
        what: "send at 10, 1,000 and 100,000 unread: dearest / cheapest",
        figure: formatNumber(growth),
        target: "≤ 2",
        isMet: growth <= 2,
      },
      {
        what: "send at 1,000 unread: the array design's cost / ours",
        figure: formatNumber(advantage),
        target: "≥ 100",
        isMet: advantage >= 100,
      },
    ],
  };
}

function atLoad(rounds: readonly Costs[], load: number): number[] {
  return rounds.map((costs) => costs[load] ?? Number.NaN);
}
