import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { formatMs, formatNumber } from "./lib/format.ts";
import { publish } from "./lib/report.ts";
import { percentile } from "./lib/statistics.ts";
import { Workbench } from "./lib/workbench.ts";
import { measureOnTerminal } from "./typing/keys-on-terminal.ts";
import { type Load, measureKeys } from "./typing/keys-under-load.ts";

const alone: Load = { members: 0, lines: 0, eventsPerSecond: 1 };
const crowded: Load = { members: 20, lines: 10_000, eventsPerSecond: 50 };

/** A frame at 60 a second: what comes within it is felt as at once. */
const atOnceMs = 16;

/** With everybody's text on its way through the same two cores. */
const streamingMembers = [8, 20];
const streamingP90Ms = 30;

await promisify(execFile)("npm", ["run", "build"]);
await using directory = await temporaryDirectory();
const workbench = await Workbench.open(directory.path, {
  provider: "bench/typing/programs/provider.ts",
});

await measureKeys(alone);
const quiet = await measureKeys(alone);
const loud = await measureKeys(crowded);
const loudP99 = percentile(loud, 0.99);
const nobody = await measureOnTerminal(workbench, 0);
const streaming: { members: number; samples: number[] }[] = [];
for (const members of streamingMembers) {
  streaming.push({ members, samples: await measureOnTerminal(workbench, members) });
}
const onTerminal = (what: string, samples: readonly number[]) => [
  what,
  formatMs(percentile(samples, 0.5)),
  formatMs(percentile(samples, 0.9)),
  formatMs(Math.max(...samples)),
];

await publish({
  title: "Typing",
  command: "npm run bench:typing",
  about:
    "The screen itself, with its real clock and a terminal that takes what it is given: from a key that arrives to the write that shows it.",
  date: new Date(),
  sections: [
    {
      title: "From a key to its echo",
      about: `Alone: nobody else, and nothing said yet. In a crowd: ${crowded.members} members that each stream ${crowded.eventsPerSecond} pieces of text a second, with ${crowded.lines.toLocaleString("en-US")} lines said before.`,
      table: {
        head: ["", "p50", "p99"],
        rows: [
          ["alone", formatMs(percentile(quiet, 0.5)), formatMs(percentile(quiet, 0.99))],
          ["in a crowd", formatMs(percentile(loud, 0.5)), formatMs(loudP99)],
          [
            "ratio",
            formatNumber(percentile(loud, 0.5) / percentile(quiet, 0.5)),
            formatNumber(loudP99 / percentile(quiet, 0.99)),
          ],
        ],
      },
      targets: [
        {
          what: "a key in a crowd: p99",
          figure: formatMs(loudP99),
          target: `≤ ${atOnceMs} ms`,
          isMet: loudP99 <= atOnceMs,
        },
      ],
    },
    {
      title: "From a key to its echo on a terminal",
      about: `The built program on a pseudo-terminal, from the key that is written to the terminal to the echo that is read from it. The teammates stream 20 pieces of text a second each; the provider has a process of its own. Every key is waited for, so that none is lost.`,
      table: {
        head: ["", "p50", "p90", "longest"],
        rows: [
          onTerminal("nobody streams", nobody),
          ...streaming.map(({ members, samples }) =>
            onTerminal(`${members} members stream`, samples),
          ),
        ],
      },
      targets: streaming.map(({ members, samples }) => ({
        what: `a key while ${members} members stream: p90`,
        figure: formatMs(percentile(samples, 0.9)),
        target: `≤ ${streamingP90Ms} ms`,
        isMet: percentile(samples, 0.9) <= streamingP90Ms,
      })),
    },
  ],
});
