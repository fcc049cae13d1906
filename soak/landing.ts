/**
 * The long fault test of checkouts and the landing queue:
 * `npm run soak:landing [-- --seed N] [--kills N] [--control moves-blindly|forgets-landed] [--write]`. `--control`
 * tests a queue with that fault alone, and must fail; `--write` puts the figures into docs/benchmarks.md. The exit code is
 * not zero when something is lost, landed twice, disturbed or left undone, or when a control shows nothing.
 */
import { parseArgs } from "node:util";
import { Habit } from "./landing/contract.ts";
import { killLandings, type LandingTally } from "./landing/kill-landings.ts";
import { writeFigures } from "./landing/report.ts";
import { wrongs } from "./landing/verify.ts";
import { Random } from "./random.ts";
import { untilShown } from "./until-shown.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    kills: { type: "string", default: "1000" },
    control: { type: "string", default: "right" },
    write: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const kills = Number(values.kills);
const habit = Habit.parse(values.control);

const startMs = performance.now();
const tally = await killLandings({ kills, random: new Random(seed), habit });
const seconds = Math.round((performance.now() - startMs) / 1000);
const isRight = wrongs.every((wrong) => tally[wrong] === 0);
const blind = habit === "right" ? await control("lost", "moves-blindly") : undefined;
const forgetful = habit === "right" ? await control("twice", "forgets-landed") : undefined;
const isShown = (blind?.lost ?? 1) > 0 && (forgetful?.twice ?? 1) > 0;
const verdict = isRight ? (isShown ? "ok" : "CONTROL SHOWS NOTHING") : "VIOLATED";
console.log(
  `${verdict}  ${kills} × kill -9 of checkouts and landings: ${format(tally)} | seed ${seed} | ${seconds} s`,
);
if (blind && forgetful) {
  console.log(`  control, a queue without compare-and-set: ${format(blind)}`);
  console.log(`  control, a queue that forgets what has landed: ${format(forgetful)}`);
  if (values.write) await writeFigures({ tally, blind, forgetful, seed, seconds });
}
process.exitCode = verdict === "ok" ? 0 : 1;

function control(shows: "lost" | "twice", fault: Habit): Promise<LandingTally> {
  const random = new Random(seed + 1);
  return untilShown(shows, () => killLandings({ kills: 30, random, habit: fault }));
}

function format(counts: LandingTally): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}
