/** Ends all orphans of one owner, and prints how many there were: `end-orphans.ts <owner>`. */
import { systemClock } from "../../../src/lib/clock.ts";
import { endOrphans } from "../../../src/processes/orphans.ts";
import { RunningCommands } from "../../../src/processes/running-commands.ts";

const [whose = ""] = process.argv.slice(2);
const running = new RunningCommands();
const isOrphan = ({ owner }: { owner: string }) => owner === whose;
console.log(await endOrphans({ isOrphan, running, clock: systemClock }));
