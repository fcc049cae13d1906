import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { installPackage } from "../packaging/install.ts";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { bundle } from "./lib/bundle.ts";
import { publish } from "./lib/report.ts";
import { measureLargeTeam } from "./start/large-team.ts";
import { measureMemory } from "./start/memory.ts";
import { findScreen } from "./start/screen.ts";
import { describeSize } from "./start/size.ts";
import { Stage } from "./start/stage.ts";
import { measureStarts, starts } from "./start/starts.ts";

await promisify(execFile)("npm", ["run", "build"]);
await using directory = await temporaryDirectory();
const installed = await installPackage(directory.path);
const pathOf = await bundle(
  { preload: "bench/start/programs/tell-peak-memory.ts" },
  `${directory.path}/programs`,
);
await using stage = await Stage.open(directory.path, installed.command);

await publish({
  title: "The start",
  command: "npm run bench:start",
  about: `Each time is the median of ${starts} starts, which take turns with those of a bare Node; a ratio is the median of the ratios of neighbours. The absolute figures say much about the machine, the ratios less.`,
  date: new Date(),
  sections: [
    await measureStarts(stage, await findScreen(stage)),
    await measureMemory(stage, pathOf("preload")),
    await measureLargeTeam(stage, { directory: directory.path, preload: pathOf("preload") }),
    describeSize(installed),
  ],
});
