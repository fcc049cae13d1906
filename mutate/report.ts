import { formatCount } from "../bench/lib/format.ts";
import { publish } from "../bench/lib/report.ts";
import type { Outcome } from "./campaign.ts";

/** Writes the counts into docs/benchmarks.md. */
export async function writeFigures(outcomes: readonly Outcome[]): Promise<void> {
  await publish({
    title: "What the tests notice",
    command: "npm run mutate -- --write",
    about: `The code is broken in small ways, one at a time: a condition that always or never holds, half of an \`and\` or \`or\`, another comparison, a statement left out, another number, name or flag. Texts for people and models stay as they are. Each such mutant is tried on every test of its folder that comes by it; it is killed when one fails. The seed picks the same mutants again. Some change nothing that anybody could see, so that 100 % cannot be had.`,
    date: new Date(),
    sections: [
      {
        title: "Mutants",
        about: "Those that no test comes by are among the survivors.",
        table: {
          head: ["code", "seed", "mutants", "tried", "killed", "score", "no test comes by"],
          rows: outcomes.map(row),
        },
        targets: outcomes.map((outcome) => ({
          what: `killed in \`${outcome.source}\``,
          figure: `${percentKilled(outcome)} %`,
          target: "≥ 80 %",
          isMet: percentKilled(outcome) >= 80,
        })),
      },
    ],
  });
}

export function percentKilled({ sample, survivors }: Outcome): number {
  return Math.round((100 * (sample.length - survivors.length)) / sample.length);
}

function row(outcome: Outcome): string[] {
  const { source, seed, population, sample, survivors } = outcome;
  return [
    `\`${source}\``,
    String(seed),
    formatCount(population),
    formatCount(sample.length),
    formatCount(sample.length - survivors.length),
    `${percentKilled(outcome)} %`,
    formatCount(survivors.filter(({ isReached }) => !isReached).length),
  ];
}
