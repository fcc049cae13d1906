/**
 * Looks for command lines that the judge calls harmless and that are not:
 * `npm run fuzz:commands [-- --count N] [--seed N] [--path directory] [--control] [--write]`.
 * Every line that would run unasked runs in a sandbox, and what it does is counted. `--path` adds a
 * directory of programs, `--control` takes every line for harmless, `--write` puts the figures into
 * docs/benchmarks.md. The exit code is not zero when something was found.
 */
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import { z } from "zod";
import { bundle } from "../bench/lib/bundle.ts";
import { formatCount, formatMs } from "../bench/lib/format.ts";
import { Random } from "../soak/random.ts";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { Campaign, type Hit } from "./campaign.ts";
import { falseAsks } from "./false-asks.ts";
import { generate } from "./grammar/generate.ts";
import { type Judge, judgeIn } from "./judge.ts";
import { writeFigures } from "./report.ts";
import { makeWorld } from "./world.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    seed: { type: "string", default: process.env.TROUPE_SEED ?? String(Date.now() % 1_000_000) },
    path: { type: "string", multiple: true, default: [] },
    control: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const fixtures = new URL("../test/fixtures/commands/", import.meta.url);
const Deceptive = z.array(z.object({ line: z.string() }));
const Ordinary = z.object({ lines: z.array(z.string()) });

const fixture = (name: string) => readFile(new URL(name, fixtures), "utf8");

async function writtenLines(): Promise<string[]> {
  const deceptive = ["deceptive.json", "deceptive-programs.json"].map(async (name) =>
    Deceptive.parse(JSON.parse(await fixture(name))).map(({ line }) => line),
  );
  const { lines } = Ordinary.parse(JSON.parse(await fixture("ordinary.json")));
  return [...(await Promise.all(deceptive)).flat(), ...lines];
}

/** Lines that differ only in their words are printed once. */
function tellOnce(): (hit: Hit) => void {
  const shown = new Set<string>();
  return ({ line, mode, kinds }) => {
    const shape = line.replace(/\w+/g, "w");
    if (!shown.has(shape)) console.log(`${kinds.join(", ")} (${mode}): ${JSON.stringify(line)}`);
    shown.add(shape);
  };
}

await using world = await makeWorld({ path: [...values.path, dirname(rgPath)] });
await using programs = await temporaryDirectory();
const pathOf = await bundle({ driver: "fuzz/programs/driver.ts" }, programs.path);
const gullible: Judge = async () => ["default"];
const judge = values.control ? gullible : await judgeIn(world);
const campaign = new Campaign({ world, judge, driver: pathOf("driver"), onHit: tellOnce() });
const startMs = performance.now();
await campaign.run(generate(Number(values.count), new Random(seed), await writtenLines()));
const seconds = Math.round((performance.now() - startMs) / 1000);
const { lines, asked } = await falseAsks(await fixture("ordinary-lines.json"));

const { tally } = campaign;
const { generated, run, hits, throws, slowestMs, slowestLine } = tally;
console.log(
  `${formatCount(generated)} lines generated, ${formatCount(run)} called harmless and run, ` +
    `${hits.length} with side effects, ${throws.length} throws; ${seconds} s, seed ${seed}`,
);
console.log(`slowest judgement: ${formatMs(slowestMs)}, of ${JSON.stringify(slowestLine)}`);
console.log(`asked needlessly: ${asked.length} of ${lines.length} lines that only read`);
for (const line of [...throws, ...asked]) console.log(`  ${JSON.stringify(line)}`);
if (values.write) await writeFigures({ tally, seconds, seed, lines, asked });
process.exitCode = hits.length === 0 && throws.length === 0 ? 0 : 1;
