/** Ends all orphans of one owner, and prints how many there were: `end-orphans.ts <owner>`. */
import { systemClock } from "../../../src/lib/clock.ts";
import { endOrphans } from "../../../src/processes/orphans.ts";
import { RunningCommands } from "../../../src/processes/running-commands.ts";

const [owner = ""] = process.argv.slice(2);
const running = new RunningCommands();
console.log(await endOrphans({ owner, isOrphan: () => true, running, clock: systemClock }));
