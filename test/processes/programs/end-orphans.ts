/** Ends all orphans of one team, and prints how many there were: `end-orphans.ts <team>`. */
import { systemClock } from "../../../src/lib/clock.ts";
import { isMarkerOfTeam } from "../../../src/processes/marker.ts";
import { endOrphans } from "../../../src/processes/orphans.ts";
import { RunningCommands } from "../../../src/processes/running-commands.ts";

const [team = ""] = process.argv.slice(2);
const running = new RunningCommands();
const isOrphan = (marker: string) => isMarkerOfTeam(marker, team);
console.log(await endOrphans({ isOrphan, running, clock: systemClock }));
