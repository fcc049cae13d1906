import { join } from "node:path";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { noSandbox } from "../test/support/no-sandbox.ts";
import { publish } from "./lib/report.ts";
import { measureCheckouts } from "./rooms/checkouts.ts";
import { measureCommands } from "./rooms/commands.ts";
import { measureLandings, measureTeam } from "./rooms/landings.ts";

if (noSandbox !== undefined) throw new Error(noSandbox);
await using directory = await temporaryDirectory();
const below = (name: string) => join(directory.path, name);

await publish({
  title: "Sandbox, checkouts and landing",
  command: "npm run bench:rooms",
  about:
    "With real bubblewrap and real git, in the directory for temporary files. Each figure is a median of one run, in which what is compared takes turns; the absolute ones say much about the machine and its disk, the ratios less.",
  date: new Date(),
  sections: [
    await measureCommands(below("commands")),
    await measureCheckouts(below("checkouts")),
    await measureLandings(below("landings")),
    await measureTeam(below("team")),
  ],
});
