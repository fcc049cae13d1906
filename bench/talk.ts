import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { formatCount, formatMegabytes, formatNumber } from "./lib/format.ts";
import { publish } from "./lib/report.ts";
import { Workbench } from "./lib/workbench.ts";
import { HourFigures } from "./talk/contract.ts";

const hours = 8;
const promptsPerHour = 12;
const teammates = 6;
/** Until then caches fill, and V8 compiles what is used often. */
const warmUpHours = 2;
const mostGrowth = 1.1;

await using directory = await temporaryDirectory();
const workbench = await Workbench.open(directory.path, {
  "long-talk": "bench/talk/programs/long-talk.ts",
});
const work = await workbench.directory("work");
await using talk = await workbench.start("long-talk", { directory: work, teammates });
const figures: HourFigures[] = [];
for (let hour = 0; hour < hours; hour++) {
  figures.push(await talk.ask({ prompts: promptsPerHour }, HourFigures));
}

const heapAfter = (hour: number) => figures[hour - 1]?.heapBytes ?? Number.NaN;
const growth = heapAfter(hours) / heapAfter(warmUpHours);

await publish({
  title: "A long talk",
  command: "npm run bench:talk",
  about: `The memory of a talk that a person has for eight hours, as fast as the machine can play it: a lead, ${teammates} teammates, real files, the screen on a terminal that takes everything, and models in the same process. The person writes ${promptsPerHour} times an hour; each time the lead writes to all teammates, each of which reads ten pages and reports. Conversations are summarized when they reach their 60,000 tokens.`,
  date: new Date(),
  sections: [
    {
      title: "After each hour",
      about: "The heap is measured after a collection, the resident memory as it is.",
      table: {
        head: ["hour", "replies", "summaries", "written to the terminal", "heap", "resident"],
        rows: figures.map((each, index) => [
          String(index + 1),
          formatCount(each.replies),
          formatCount(each.compactions),
          formatMegabytes(each.writtenBytes),
          formatMegabytes(each.heapBytes),
          formatMegabytes(each.residentBytes),
        ]),
      },
      targets: [
        {
          what: `heap after hour ${hours} / after hour ${warmUpHours}`,
          figure: formatNumber(growth),
          target: `≤ ${formatNumber(mostGrowth)}`,
          isMet: growth <= mostGrowth,
        },
      ],
    },
  ],
});
