import { formatMs, formatNumber } from "./lib/format.ts";
import { publish } from "./lib/report.ts";
import { percentile } from "./lib/statistics.ts";
import { type Load, measureKeys } from "./typing/keys-under-load.ts";

const alone: Load = { members: 0, lines: 0, eventsPerSecond: 1 };
const crowded: Load = { members: 20, lines: 10_000, eventsPerSecond: 50 };

/** A frame at 60 a second: what comes within it is felt as at once. */
const atOnceMs = 16;

await measureKeys(alone);
const quiet = await measureKeys(alone);
const loud = await measureKeys(crowded);
const loudP99 = percentile(loud, 0.99);

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
  ],
});
