import { formatCount } from "../bench/lib/format.ts";
import { publish, publishedReport } from "../bench/lib/report.ts";
import type { Outcome } from "./campaign.ts";
import { targets } from "./targets.ts";

const title = "What the tests notice";
const head = [
  ...["code", "date", "seed", "mutants", "tried", "killed", "of these by a hang", "score"],
  "no test comes by",
];

/** Writes the counts into docs/benchmarks.md. Code that was not tried keeps its row. */
export async function writeFigures(outcomes: readonly Outcome[]): Promise<void> {
  const date = new Date();
  const rows = mergedRows((await publishedReport(title)) ?? "", outcomes, date);
  await publish({
    title,
    command: "npm run mutate -- --write",
    about: `The code is broken in small ways, one at a time: a condition that always or never holds, half of an \`and\` or \`or\`, another comparison, a statement left out, another number, name or flag. Texts for people and models stay as they are. Each such mutant is tried on every test of its folder that comes by it; it is killed when one fails. The seed picks the same mutants again. Some change nothing that anybody could see, so that 100 % cannot be had.`,
    date,
    sections: [
      {
        title: "Mutants",
        about:
          "Each row is of its own date. A hang is a test that no longer ends with the mutant, or that ends the process. Mutants that no test comes by are among the survivors.",
        table: { head, rows },
        targets: rows.map((row) => {
          const score = row[head.indexOf("score")] ?? "";
          return {
            what: `killed in ${row[0]}`,
            figure: score,
            target: "≥ 80 %",
            isMet: Number.parseInt(score, 10) >= 80,
          };
        }),
      },
    ],
  });
}

/** The rows of the outcomes, and those of an earlier report for the other targets. */
export function mergedRows(earlier: string, outcomes: readonly Outcome[], date: Date): string[][] {
  const rows = new Map<string | undefined, string[]>();
  for (const line of earlier.split("\n")) {
    const cells = line.split("|").slice(1, -1);
    const row = cells.map((cell) => cell.trim());
    if (row.length === head.length) rows.set(row[0], row);
  }
  for (const outcome of outcomes) rows.set(nameOf(outcome), rowOf(outcome, date));
  return targets.flatMap((target) => {
    const row = rows.get(nameOf(target));
    return row ? [row] : [];
  });
}

export function percentKilled({ sample, survivors }: Outcome): number {
  return Math.round((100 * (sample.length - survivors.length)) / sample.length);
}

function rowOf(outcome: Outcome, date: Date): string[] {
  const { seed, population, sample, survivors, hangs } = outcome;
  return [
    nameOf(outcome),
    date.toISOString().slice(0, 10),
    String(seed),
    formatCount(population),
    formatCount(sample.length),
    formatCount(sample.length - survivors.length),
    formatCount(hangs.length),
    `${percentKilled(outcome)} %`,
    formatCount(survivors.filter(({ isReached }) => !isReached).length),
  ];
}

function nameOf({ source }: { source: string }): string {
  return `\`${source}\``;
}
