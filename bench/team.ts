import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { rounds } from "./lib/alternate.ts";
import { publish } from "./lib/report.ts";
import { measureCrowd } from "./team/crowd.ts";
import { measureLatency } from "./team/latency.ts";
import { measureSleepers } from "./team/sleepers.ts";
import { openWorkbench } from "./team/workbench.ts";

await promisify(execFile)("npm", ["run", "build"]);
await using directory = await temporaryDirectory();
const workbench = await openWorkbench(directory.path);

await publish({
  title: "The team",
  command: "npm run bench:team",
  about: `Against a scripted server on loopback that speaks Anthropic's streaming format and answers at once. Each figure is the median of ${rounds} rounds.`,
  date: new Date(),
  sections: [
    ...(await measureSleepers(workbench)),
    await measureLatency(workbench),
    await measureCrowd(workbench),
  ],
});
