import { rounds } from "../lib/alternate.ts";
import { formatCount, formatMegabytes, formatMs } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median } from "../lib/statistics.ts";
import { Done, ReopenAnswer } from "./contract.ts";
import type { Workbench } from "./workbench.ts";

const life = { messages: 1_000_000, entries: 100_000, entryBytes: 2000, tail: 200 };

/** A new process opens a member with a long history. */
export async function measureReopen(workbench: Workbench): Promise<Section> {
  const directory = await workbench.directory("reopen");
  await makeLife(workbench, directory);
  const answers: ReopenAnswer[] = [];
  for (let round = 0; round < rounds; round++) {
    await using reopener = await workbench.start("reopener", { directory });
    answers.push(await reopener.ask({}, ReopenAnswer));
  }
  return describe(answers);
}

async function makeLife(workbench: Workbench, directory: string): Promise<void> {
  await using maker = await workbench.start("life-maker", { directory });
  await maker.ask(life, Done);
}

function describe(answers: readonly ReopenAnswer[]): Section {
  const transcriptMs = median(answers.map((answer) => answer.transcriptMs));
  const mailboxMs = median(answers.map((answer) => answer.mailboxMs));
  const wholeMs = median(answers.map((answer) => answer.transcriptMs + answer.mailboxMs));
  const peak = median(answers.map(({ peakBytes }) => peakBytes));
  const growth = median(answers.map(({ peakBytes, baselineBytes }) => peakBytes - baselineBytes));
  return {
    title: "Opening a member again",
    about: `Its mailbox has had ${formatCount(life.messages)} messages, sent, read, acknowledged and rotated as ever, of which 64 MiB are kept. Its transcript has ${formatCount(life.entries)} entries of ${formatCount(life.entryBytes)} bytes, the newest compaction ${life.tail} entries before the end. Each time in a new process; the mailbox counts as open when it has been looked into for mail.`,
    table: {
      head: ["transcript", "mailbox", "both", "peak memory", "of that, more than before"],
      rows: [
        [
          ...[transcriptMs, mailboxMs, wholeMs].map(formatMs),
          ...[peak, growth].map(formatMegabytes),
        ],
      ],
    },
    targets: [
      {
        what: "reopening a member with 100,000 entries",
        figure: formatMs(wholeMs),
        target: "≤ 500 ms",
        isMet: wholeMs <= 500,
      },
      {
        what: "reopening a member: peak memory of the process",
        figure: formatMegabytes(peak),
        target: "≤ 100 MB",
        isMet: peak <= 100e6,
      },
      {
        what: "opening a reader behind 1,000,000 delivered messages",
        figure: formatMs(mailboxMs),
        target: "≤ 100 ms",
        isMet: mailboxMs <= 100,
      },
    ],
  };
}
