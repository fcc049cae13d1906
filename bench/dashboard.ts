import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { measureFirstSight, measureFluency } from "./dashboard/browser.ts";
import { measureCrowd } from "./dashboard/crowd.ts";
import { measureFirstScreen } from "./dashboard/first-screen.ts";
import { openWorkbench } from "./dashboard/workbench.ts";
import { rounds } from "./lib/alternate.ts";
import { publish } from "./lib/report.ts";

await using directory = await temporaryDirectory();
const workbench = await openWorkbench(directory.path);

await publish({
  title: "The dashboard",
  command: "npm run bench:dashboard",
  about: `Against a server on loopback in a process of its own. Each figure is the median of ${rounds} rounds.`,
  date: new Date(),
  sections: [
    await measureFirstScreen(workbench),
    await measureFirstSight(workbench),
    await measureCrowd(workbench),
    await measureFluency(workbench),
  ],
});
