/**
 * Breaks the code in small ways, one at a time, and counts which of them a test notices:
 * `npm run mutate [-- --folder src/team] [--sample N] [--seed N] [--only text] [--write]`.
 * `--only` takes mutants whose line in the output contains a text, `--write` puts the figures into
 * docs/benchmarks.md. The working tree is not touched. Needs bubblewrap and a build.
 */
import { parseArgs } from "node:util";
import { type Outcome, tryMutants } from "./campaign.ts";
import { percentKilled, writeFigures } from "./report.ts";
import { targets } from "./targets.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string", multiple: true, default: [] },
    sample: { type: "string", default: "60" },
    seed: { type: "string", default: process.env.TROUPE_SEED ?? "1" },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
  },
});
const chosen = targets.filter(
  ({ source }) => values.folder.length === 0 || values.folder.includes(source),
);
if (chosen.length === 0) {
  throw new Error(`--folder is one of ${targets.map(({ source }) => source).join(", ")}`);
}

const outcomes: Outcome[] = [];
for (const target of chosen) {
  const outcome = await tryMutants(target, {
    count: Number(values.sample),
    seed: Number(values.seed),
    only: values.only,
  });
  outcomes.push(outcome);
  show(outcome);
}
if (values.write) await writeFigures(outcomes);

function show(outcome: Outcome): void {
  const { source, sample, population, survivors, hangs, useless } = outcome;
  const killed = `${sample.length - survivors.length} of ${sample.length} killed`;
  console.log(`${source}: ${killed} (${percentKilled(outcome)} %), of ${population}`);
  for (const { mutant, isReached } of survivors) {
    console.log(`  ${mutant}${isReached ? "" : " (no test comes by)"}`);
  }
  for (const hang of hangs) console.log(`  killed without a failed assertion: ${hang}`);
  for (const test of useless) console.log(`  not counted: ${test}`);
}
