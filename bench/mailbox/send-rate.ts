import { alternate } from "../lib/alternate.ts";
import { ChildGroup } from "../lib/child-group.ts";
import { formatCount, formatMicroseconds, formatNumber, formatRate } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, medianRatio } from "../lib/statistics.ts";
import { nsPerSecond } from "../lib/time.ts";
import { SendAnswer } from "./contract.ts";
import type { DesignName } from "./designs/design.ts";
import type { Workbench } from "./workbench.ts";

const designs: DesignName[] = ["troupe", "teaching", "bare"];
const count = 20_000;

/** One process sends, and nobody reads. */
export async function measureSendRate(workbench: Workbench): Promise<Section> {
  await using senders = await ChildGroup.start(designs, async (design) => {
    const directory = await workbench.directory(`rate-${design}`);
    return workbench.start("sender", { design, directory, from: "lead" });
  });
  const ratesOf = await alternate(designs, async (design, round) => {
    const { elapsedNs } = await senders.ask(design, { round, count }, SendAnswer);
    return count / (elapsedNs / nsPerSecond);
  });
  return describe(ratesOf);
}

function describe(ratesOf: (design: DesignName) => readonly number[]): Section {
  const ratio = medianRatio(ratesOf("troupe"), ratesOf("teaching"));
  return {
    title: "One writer",
    about: `One process sends ${formatCount(count)} messages and nobody reads. "Bare" is \`writeSync\` of one line that was built before, on a descriptor that stays open: it has no id, no signature, no check, and nobody may rename the file.`,
    table: {
      head: ["design", "rate", "one send"],
      rows: designs.map((design) => {
        const rate = median(ratesOf(design));
        return [design, formatRate(rate), formatMicroseconds(1e6 / rate)];
      }),
    },
    targets: [
      {
        what: "1 writer: rate / teaching design's",
        figure: formatNumber(ratio),
        target: "≥ 0.4",
        isMet: ratio >= 0.4,
      },
    ],
  };
}
