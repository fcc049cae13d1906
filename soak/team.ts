/**
 * The long fault tests of a whole team:
 * `npm run soak:team [-- --seed N --kills N --crons N --messages N --stories N]`, where 0 leaves a test out.
 * One line each, with its counts, those of its control, and the seed, which replays the moments of
 * the kills and is the first story's. The exit code is not zero when something is lost, shown or run
 * twice, refused or left undone, or when a control shows nothing.
 */
import { parseArgs } from "node:util";
import type { Defect } from "../test/simulation/process-store.ts";
import { describeFailure, runSimulation } from "../test/simulation/run-simulation.ts";
import { Random } from "./random.ts";
import { killCrons } from "./team/kill-crons.ts";
import { killTeams } from "./team/kill-teams.ts";
import { sendMillions } from "./team/million-messages.ts";
import { untilShown } from "./until-shown.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    kills: { type: "string", default: "100" },
    crons: { type: "string", default: "50" },
    messages: { type: "string", default: "1000000" },
    stories: { type: "string", default: "50000" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const kills = Number(values.kills);
const crons = Number(values.crons);
const messages = Number(values.messages);
const stories = Number(values.stories);
let failures = 0;

type Counts = Record<string, number>;

/** The counts that must be zero. */
const wrongs = [
  ...["lost", "twice", "misordered", "unfinished", "refused", "stuck", "tooMuchMemory"],
  "violations",
];

interface Fault {
  name: string;
  run(): Promise<Counts>;
  control?: { shows: string; run(): Promise<Counts> };
}

async function report({ name, run, control }: Fault): Promise<void> {
  const startMs = performance.now();
  const counts = await run();
  const controlCounts = await control?.run();
  const isShown = !control || (controlCounts?.[control.shows] ?? 0) > 0;
  const isRight = wrongs.every((wrong) => !counts[wrong]);
  const verdict = isRight ? (isShown ? "ok" : "CONTROL SHOWS NOTHING") : "VIOLATED";
  if (verdict !== "ok") failures++;
  const shown = controlCounts ? ` | control: ${format(controlCounts)}` : "";
  const seconds = Math.round((performance.now() - startMs) / 1000);
  console.log(`${verdict}  ${name}: ${format(counts)}${shown} | seed ${seed} | ${seconds} s`);
}

function format(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

async function simulate(seeds: number, defect?: Defect): Promise<Counts> {
  const given = { from: seed, seeds, ...(defect && { defect }) };
  const { failure, ...counts } = await runSimulation(given);
  if (failure && !defect) console.error(describeFailure(failure));
  return { ...counts, violations: failure?.violations.length ?? 0 };
}

const killed: Fault = {
  name: `${kills} × kill -9 of a team of five`,
  run: () => killTeams({ kills, random: new Random(seed) }),
  control: {
    shows: "twice",
    run: () => {
      const random = new Random(seed + 1);
      return untilShown("twice", () => killTeams({ kills: 10, random, habit: "forgets-starts" }));
    },
  },
};
const scheduled: Fault = {
  name: `${crons} × prompts that come once, around kill -9 of their lead`,
  run: () => killCrons({ stories: crons, random: new Random(seed) }),
  control: {
    shows: "lost",
    run: () => killCrons({ stories: 3, random: new Random(seed), habit: "forgets-crons" }),
  },
};
const posted: Fault = {
  name: `${messages} messages through 200 mailboxes`,
  run: () => sendMillions({ messages, mailboxes: 200 }),
};
const simulated: Fault = {
  name: `${stories} simulated stories`,
  run: () => simulate(stories),
  control: { shows: "violations", run: () => simulate(2_000, "acknowledged-too-early") },
};

if (kills > 0) await report(killed);
if (crons > 0) await report(scheduled);
if (messages > 0) await report(posted);
if (stories > 0) await report(simulated);
console.log(failures === 0 ? "Nothing lost." : `${failures} faults were not withstood.`);
process.exitCode = failures === 0 ? 0 : 1;
