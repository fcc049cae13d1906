/**
 * Random damage of all files of a team: `npm run soak:damage [-- --seed N --trials N]`. A rich team
 * is made by the built program, then copied, damaged in one to three places and started again, so
 * many times; every tenth time by a process of the program. Prints the counts and the seed; the
 * damages of trial `n` are those of the seed `seed + n`. The exit code is not zero when a provider
 * would refuse a request, when something undamaged is lost, changed, shown or run twice, or when a
 * start crashes or hangs.
 */
import { parseArgs } from "node:util";
import { damageTeams } from "./damage/damage-teams.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    trials: { type: "string", default: "2000" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const counts = await damageTeams({ seed, trials: Number(values.trials), say: console.log });
const shown = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
console.log(`${shown.join(", ")} | seed ${seed}`);
process.exitCode = counts.faulty === 0 ? 0 : 1;
