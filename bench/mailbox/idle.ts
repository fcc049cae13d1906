import { rounds } from "../lib/alternate.ts";
import { ChildGroup } from "../lib/child-group.ts";
import { formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median } from "../lib/statistics.ts";
import { IdleAnswer } from "./contract.ts";
import type { Workbench } from "./workbench.ts";

const inboxes = 100;
const idleMs = 10_000;

/** A process has a hundred mailboxes open, and nothing happens. */
export async function measureIdle(workbench: Workbench): Promise<Section> {
  // At the same time, because idle processes do not disturb each other.
  await using idlers = await ChildGroup.start([...Array(rounds).keys()], async (number) => {
    return workbench.start("idler", { directory: await workbench.directory(`idle-${number}`) });
  });
  const answers = await idlers.askAll({ inboxes, idleMs }, IdleAnswer);
  return describe(answers.map(({ cpuMs, elapsedMs }) => (cpuMs / elapsedMs) * 100));
}

function describe(percents: readonly number[]): Section {
  const figure = `${formatNumber(median(percents))} %`;
  return {
    title: "Doing nothing",
    about: `${rounds} processes with ${inboxes} open readers on one watched directory each; processor time over ${idleMs / 1000} s in which no mail comes.`,
    table: { head: ["open inboxes", "of one core"], rows: [[String(inboxes), figure]] },
    targets: [
      {
        what: `${inboxes} watched inboxes, idle: of one core`,
        figure,
        target: "< 0.5 %",
        isMet: median(percents) < 0.5,
      },
    ],
  };
}
