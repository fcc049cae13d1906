/**
 * A lead that may be killed at any moment: `once-lead <directory> <provider's url> <until>`. Its
 * clock is ahead of the machine's by the milliseconds in the file `clock` of the directory. It goes
 * on until it is killed, or until the team is `quiet`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/lib/clock.ts";
import { Team } from "../../../src/team/team.ts";
import { teamPlace } from "../../../test/support/team.ts";
import { scriptedModels } from "../../../test/support/team-on-wire.ts";

const [directory = "", url = "", until = ""] = process.argv.slice(2);
const aheadMs = () => Number(readFileSync(join(directory, "clock"), "utf8"));
const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs()) };
await using team = await Team.open({
  place: teamPlace(directory, { clock, onWarning: console.error }),
  env: { PATH: process.env.PATH, ANTHROPIC_API_KEY: "sk-of-a-soak", ANTHROPIC_BASE_URL: url },
  cwd: directory,
  model: "anthropic/scripted",
  models: scriptedModels,
});
await team.prompt("Go on.");
await team.quiet();
if (until !== "quiet") await new Promise(() => setInterval(() => undefined, 1_000));
