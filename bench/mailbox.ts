import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { rounds } from "./lib/alternate.ts";
import { publish, type Section } from "./lib/report.ts";
import { measureCrowd } from "./mailbox/crowd.ts";
import { measureIdle } from "./mailbox/idle.ts";
import { measureReopen } from "./mailbox/reopen.ts";
import { measureSendCost } from "./mailbox/send-cost.ts";
import { measureSendRate } from "./mailbox/send-rate.ts";
import { measureWake } from "./mailbox/wake.ts";
import { openWorkbench } from "./mailbox/workbench.ts";

const about = `Messages have 300 bytes of content. Each figure is the median of ${rounds} rounds, and designs that are compared take turns in one run; a ratio is the median of the rounds' ratios. The absolute figures say much about the machine, the ratios less; with eight writers the number of cores counts. The teaching design appends lines to one file, which its reader reads and truncates; the array design keeps one JSON array in one file.`;

await using directory = await temporaryDirectory();
const workbench = await openWorkbench(directory.path);

const sections: Section[] = [];
for (const measure of [
  measureCrowd,
  measureSendRate,
  measureSendCost,
  measureWake,
  measureIdle,
  measureReopen,
]) {
  sections.push(await measure(workbench));
}

await publish({
  title: "The mailbox",
  command: "npm run bench:mailbox",
  about,
  date: new Date(),
  sections,
});
