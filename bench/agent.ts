import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { measureFirstRequest, measureTurns } from "./agent/turns.ts";
import { openWorkbench } from "./agent/workbench.ts";
import { rounds } from "./lib/alternate.ts";
import { publish } from "./lib/report.ts";

await using directory = await temporaryDirectory();
const workbench = await openWorkbench(directory.path);

await publish({
  title: "One agent",
  command: "npm run bench:agent",
  about: `Against a scripted server on loopback that speaks Anthropic's streaming format and answers at once. Each figure is the median of ${rounds} rounds; ratios are of one run.`,
  date: new Date(),
  sections: [await measureTurns(workbench), await measureFirstRequest(workbench)],
});
