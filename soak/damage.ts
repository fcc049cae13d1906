/**
 * Random damage of all files of a team: `npm run soak:damage [-- --seed N --trials N]`. A rich team
 * is made by the built program, then copied, damaged in one to three places and started again, so
 * many times; every tenth time by a process of the program. Prints the counts and the seed; the
 * damages of trial `n` are those of the seed `seed + n`. Where a trial shows a fault, the team is
 * kept, and `--team <directory> --seed N --trials 1` does the same damage to the same bytes again.
 *
 * The exit code is not zero when a provider would refuse a request, when something undamaged is
 * lost, changed, shown or run twice, when a start crashes, hangs or is declined without need, or
 * when nobody is told of a damage that `soak/damage/told.ts` does not know to be harmless.
 * `--control loss` loses a message that was not damaged, and `--control silence` hears nothing of
 * what is told: both must show faults, and the exit code is not zero when they do not.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { damageTeams } from "./damage/damage-teams.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    trials: { type: "string", default: "2000" },
    team: { type: "string" },
    control: { type: "string" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const { team } = values;
const control = (["loss", "silence"] as const).find((it) => it === values.control);
const keep = team || control ? undefined : join(tmpdir(), `troupe-damage-${seed}`);
const trials = Number(values.trials);
const counts = await damageTeams({ seed, trials, team, keep, control, say: console.log });
const shown = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
console.log(`${shown.join(", ")} | seed ${seed}`);
const isFaulty = counts.faulty > 0 || counts.untold > 0;
if (isFaulty && keep) console.log(`The team is kept: --team ${keep} --seed N --trials 1`);
process.exitCode = isFaulty === (control !== undefined) ? 0 : 1;
